// The propagator's variables: defaults, units, ranges. Whoever runs it (its own process, the standalone) loads this shape.
import { type WriteMode, writeModes } from '@svc-server/modes'
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema'
import { bytes, choice, durationMs, integer, minutes, port, ratio, seconds, text } from '@svc-server/service/configuration'
import { processVariables } from '@svc-server/service/lifecycle'
import { kafkaProblems, kafkaVariables } from '@svc-server/stores'
import type { z } from 'zod'
import { z as zod } from 'zod'

const MiB = 1024 * 1024

/** The variables by name, for schemas of processes that run the propagator beside other services. */
export const propagatorVariables = {
  SVC_MIGRATION_V4_WRITE_MODE: choice(writeModes).prefault('events_only').describe('Which tables are written.'),
  SVC_PROPAGATION_WINDOW_SECONDS: seconds({ min: 1, max: 3600 })
    .prefault('180')
    .describe('Length of a window. Staged spans wait for the end of theirs; shorter ones publish more spans twice.'),
  SVC_PROPAGATION_GRACE_MS: durationMs({ min: 0, max: 60_000 })
    .prefault('2s')
    .describe('Waited beyond the end of a window on a partition where nothing more arrives. Above the difference of the brokers’ clocks.'),
  SVC_EVENT_PROPAGATION_STUCK_THRESHOLD_MINUTES: minutes({ min: 1, max: 1440 })
    .prefault('15')
    .describe('Time without a publication, with staged spans waiting, after which the worker’s health says stuck.'),
  SVC_PROPAGATION_MAX_TRACE_SPANS: integer({ min: 1, max: 10_000_000 })
    .prefault('50000')
    .describe('Spans of one trace that are filled. What comes after them is passed on as it is, and counted.'),
  SVC_PROPAGATION_MAX_PROJECT_TRACES: integer({ min: 1, max: 1_000_000_000 })
    .prefault('5000000')
    .describe('Traces of one project within 48 hours that are filled. What comes after them is passed on as it is, and counted.'),
  SVC_PROPAGATION_MAX_WINDOW_TRACES: integer({ min: 1, max: 10_000_000 })
    .prefault('100000')
    .describe('Traces of one partition at which a window is closed before its time: the bound on its memory.'),
  SVC_PROPAGATION_REPAIR_BYTES_PER_SECOND: bytes({ min: 1024 * 1024, max: 1024 * MiB })
    .prefault('16MiB')
    .describe('Staged bytes that may be published again per second and partition, so that repairs leave room for windows.'),
  SVC_PROPAGATION_MAX_RECORD_BYTES: bytes({ min: MiB, max: 1024 * MiB })
    .prefault('256MiB')
    .describe('Decoded bytes of one record above which it becomes a dead letter. Not below SVC_MAX_BODY_BYTES of the gateways.'),
  SVC_MAX_ROW_BYTES: bytes({ min: MiB, max: 4096 * MiB })
    .prefault('256MiB')
    .describe(
      'Bytes of rows that a request may become (span, resource, scope; 2 KiB at least): above it 413, on the log dead letters. The same everywhere.',
    ),
  SVC_MAX_REQUEST_WORK: integer({ min: 100_000, max: 1_000_000_000 })
    .prefault('3000000')
    .describe(
      'Units of work (about a microsecond each at worst) that mapping a request may take: attributes, values in lists and in JSON texts. Above it 413, on the log dead letters. The same everywhere.',
    ),
  SVC_BRAND_ALIASES: text(brandAliasesValid, brandAliasPattern)
    .optional()
    .describe('Brands whose headers, attributes, scope and SDK names are read as if they were written with svc. Not set: none.'),
  SVC_PROPAGATION_DEAD_LETTER_MIN: integer({ min: 1 })
    .prefault('100')
    .describe(
      'Spans among the last 100,000, rejected for what no client can cause, that halt a partition when they are also more than the share below.',
    ),
  SVC_PROPAGATION_DEAD_LETTER_SHARE: ratio().prefault('0.2').describe('See SVC_PROPAGATION_DEAD_LETTER_MIN.'),
}

export type PropagatorEnvironment = z.output<z.ZodObject<typeof propagatorVariables>>

/** A propagator in a process of its own. */
export const propagatorProcessEnvironment = zod
  .object({
    ...propagatorVariables,
    SVC_WORKER_PORT: port().prefault('3030').describe('Port of worker health, probes and metrics.'),
    SVC_DATA_DIR: text('a path').prefault('.svc').describe('Directory of the local state. It may be lost: it is rebuilt from the log.'),
    SVC_LOG: choice(['kafka']).prefault('kafka').describe('Separate processes meet on Kafka.'),
    ...kafkaVariables,
    ...processVariables,
  })
  .superRefine((env, context) => {
    for (const message of kafkaProblems(env)) context.addIssue({ code: 'custom', message })
  })

export type PropagatorProcessEnvironment = z.output<typeof propagatorProcessEnvironment>

export interface PropagatorConfig {
  readonly writeMode: WriteMode
  readonly windowMs: number
  readonly graceMs: number
  readonly stuckThresholdMs: number
  /** How long a partition rests that only an operator can mend. */
  readonly haltedPauseMs: number
  /** Time without an answer of the log after which readiness turns red. */
  readonly storeSilenceMs: number
  readonly maxTraceSpans: number
  /** Of all partitions together. */
  readonly maxProjectTraces: number
  readonly maxWindowTraces: number
  /** Records of a window: each costs an offset in memory. */
  readonly maxWindowRecords: number
  /** What the traces of a window may say, in memory: many long words of clients that send little, compressed. */
  readonly maxWindowBytes: number
  readonly repairBytesPerSecond: number
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
  readonly deadLetterMin: number
  readonly deadLetterShare: number
  /** Staged bytes read at a time. */
  readonly readBytes: number
  /** Staged bytes of one transaction. */
  readonly publishBytes: number
  /** How long a partition works before others have their turn. */
  readonly turnMs: number
  /** How long a trace is known after its last window, by log time. */
  readonly retentionMs: number
  readonly threads: number
}

export const propagatorConfig = (env: PropagatorEnvironment): PropagatorConfig => ({
  writeMode: env.SVC_MIGRATION_V4_WRITE_MODE,
  windowMs: env.SVC_PROPAGATION_WINDOW_SECONDS * 1000,
  graceMs: env.SVC_PROPAGATION_GRACE_MS,
  stuckThresholdMs: env.SVC_EVENT_PROPAGATION_STUCK_THRESHOLD_MINUTES * 60_000,
  haltedPauseMs: 60_000,
  storeSilenceMs: 15_000,
  maxTraceSpans: env.SVC_PROPAGATION_MAX_TRACE_SPANS,
  maxProjectTraces: env.SVC_PROPAGATION_MAX_PROJECT_TRACES,
  maxWindowTraces: env.SVC_PROPAGATION_MAX_WINDOW_TRACES,
  maxWindowRecords: 1_000_000,
  maxWindowBytes: 128 * MiB,
  repairBytesPerSecond: env.SVC_PROPAGATION_REPAIR_BYTES_PER_SECOND,
  maxRecordBytes: env.SVC_PROPAGATION_MAX_RECORD_BYTES,
  maxRowBytes: env.SVC_MAX_ROW_BYTES,
  maxWork: env.SVC_MAX_REQUEST_WORK,
  brandAliases: brandAliasesOf(env.SVC_BRAND_ALIASES),
  deadLetterMin: env.SVC_PROPAGATION_DEAD_LETTER_MIN,
  deadLetterShare: env.SVC_PROPAGATION_DEAD_LETTER_SHARE,
  readBytes: 4 * MiB,
  publishBytes: 4 * MiB,
  turnMs: 5_000,
  retentionMs: 48 * 3_600_000,
  threads: 1,
})
