// The writer's variables: defaults, units, ranges. Whoever runs it (its own process, the standalone) loads this shape.
import { type WriteMode, writeModes } from '@svc-server/modes'
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema'
import { bytes, choice, durationMs, integer, port, ratio, text } from '@svc-server/service/configuration'
import { processVariables } from '@svc-server/service/lifecycle'
import { columnStoreVariables, kafkaProblems, kafkaVariables, relationalVariables } from '@svc-server/stores'
import type { z } from 'zod'
import { z as zod } from 'zod'

const MiB = 1024 * 1024

/** The variables by name, for schemas of processes that run the writer beside other services. */
export const writerVariables = {
  SVC_MIGRATION_V4_WRITE_MODE: choice(writeModes).prefault('events_only').describe('Which tables are written.'),
  SVC_WRITER_CHUNK_MAX_ROWS: integer({ min: 1, max: 200_000 }).prefault('40000').describe('Most rows of one insert.'),
  SVC_WRITER_CHUNK_MAX_BYTES: bytes({ min: MiB, max: 512 * MiB })
    .optional()
    .describe('Most bytes of rows of one insert, unless one record has more. Not set: 180 MiB; 32 MiB on the embedded log.'),
  SVC_WRITER_FETCH_MIN_BYTES: bytes({ min: 1, max: 512 * MiB })
    .prefault('24MiB')
    .describe('Bytes of a partition that are waited for before they are stored.'),
  SVC_WRITER_FETCH_MAX_WAIT_MS: durationMs({ min: 10, max: 60_000 })
    .prefault('1s')
    .describe('Longest wait for them. It is part of the time from a span to its row.'),
  SVC_WRITER_FETCH_MAX_BYTES: bytes({ min: MiB, max: 512 * MiB })
    .prefault('32MiB')
    .describe('Most bytes of a partition in memory, per chunk at work.'),
  SVC_WRITER_CONCURRENCY: integer({ min: 1, max: 2 }).prefault('2').describe('Chunks at work at the same time.'),
  SVC_WRITER_MAX_RECORD_BYTES: bytes({ min: MiB, max: 1024 * MiB })
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
  SVC_WRITER_RETRY_BUDGET_MS: durationMs({ min: 0, max: 600_000 })
    .prefault('30s')
    .describe('How long a chunk is held in memory while the column store is down or overloaded.'),
  SVC_WRITER_PAUSE_MS: durationMs({ min: 10, max: 600_000 }).prefault('2s').describe('How long its partition rests after that.'),
  SVC_WRITER_DEAD_LETTER_MIN: integer({ min: 1 })
    .prefault('100')
    .describe(
      'Spans among the last 100,000, rejected for what no client can cause, that halt a partition when they are also more than SVC_WRITER_DEAD_LETTER_SHARE of them.',
    ),
  SVC_WRITER_DEAD_LETTER_SHARE: ratio().prefault('0.2').describe('See SVC_WRITER_DEAD_LETTER_MIN.'),
  SVC_WRITER_PROGRESS_THRESHOLD_MS: durationMs({ min: 1_000, max: 3_600_000 })
    .prefault('2m')
    .describe('Time without progress, with work waiting, after which health turns red.'),
  SVC_LEDGER_AUDIT_MS: durationMs({ min: 10, max: 3_600_000 })
    .prefault('30s')
    .describe('How often ledger and tables are asked whether every stored span is accounted for: svc_unaccounted_spans.'),
  SVC_AUDIT_CPU_SHARE: ratio()
    .refine(share => share > 0, 'must be above 0')
    .prefault('0.05')
    .describe(
      'Share of one core that walking the log and looking for every span in both tables may take, the column store’s work for it included. Too little shows in svc_audit_lag_seconds.',
    ),
  SVC_CATALOGUE_REFRESH_MS: durationMs({ min: 1_000, max: 86_400_000 })
    .prefault('1m')
    .describe('How often models, prices and prompts are read again. A change counts from the next chunk on.'),
  SVC_WRITER_DRAIN_GRACE_MS: durationMs({ min: 0, max: 600_000 })
    .prefault('20s')
    .describe('Time that a chunk at work has to finish when the process stops. One that is cut off is probed at the next start.'),
}

export type WriterEnvironment = z.output<z.ZodObject<typeof writerVariables>>

export const writerEnvironment = zod.object(writerVariables)

/** A writer in a process of its own: others share its stores, so they are servers. */
export const writerProcessEnvironment = zod
  .object({
    ...writerVariables,
    SVC_WORKER_PORT: port().prefault('3030').describe('Port of worker health, probes and metrics.'),
    SVC_LOG: choice(['kafka']).prefault('kafka').describe('Separate processes meet on Kafka.'),
    ...kafkaVariables,
    ...columnStoreVariables,
    ...relationalVariables,
    ...processVariables,
  })
  .superRefine((env, context) => {
    for (const message of kafkaProblems(env)) context.addIssue({ code: 'custom', message })
  })

export type WriterProcessEnvironment = z.output<typeof writerProcessEnvironment>

export interface WriterConfig {
  readonly writeMode: WriteMode
  readonly chunkMaxRows: number
  /** Absent: as fits the log. */
  readonly chunkMaxBytes: number | undefined
  readonly fetchMinBytes: number
  readonly fetchMaxWaitMs: number
  readonly fetchMaxBytes: number
  readonly concurrency: number
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly retryMinMs: number
  readonly retryMaxMs: number
  readonly retryBudgetMs: number
  readonly pauseMs: number
  /** How long a partition rests that only an operator can mend. */
  readonly haltedPauseMs: number
  /** Time without an answer after which a store turns readiness red. */
  readonly storeSilenceMs: number
  /** How often the dead letters' topic is looked at. */
  readonly deadLetterIntervalMs: number
  readonly deadLetterMin: number
  readonly deadLetterShare: number
  readonly progressThresholdMs: number
  readonly drainGraceMs: number
  readonly ledgerAuditMs: number
  /** Of one core, above 0. */
  readonly auditShare: number
  readonly brandAliases: readonly string[]
}

export const writerConfig = (env: WriterEnvironment): WriterConfig => ({
  writeMode: env.SVC_MIGRATION_V4_WRITE_MODE,
  chunkMaxRows: env.SVC_WRITER_CHUNK_MAX_ROWS,
  chunkMaxBytes: env.SVC_WRITER_CHUNK_MAX_BYTES,
  fetchMinBytes: env.SVC_WRITER_FETCH_MIN_BYTES,
  fetchMaxWaitMs: env.SVC_WRITER_FETCH_MAX_WAIT_MS,
  fetchMaxBytes: env.SVC_WRITER_FETCH_MAX_BYTES,
  concurrency: env.SVC_WRITER_CONCURRENCY,
  maxRecordBytes: env.SVC_WRITER_MAX_RECORD_BYTES,
  maxRowBytes: env.SVC_MAX_ROW_BYTES,
  maxWork: env.SVC_MAX_REQUEST_WORK,
  retryMinMs: 100,
  retryMaxMs: 5_000,
  retryBudgetMs: env.SVC_WRITER_RETRY_BUDGET_MS,
  pauseMs: env.SVC_WRITER_PAUSE_MS,
  haltedPauseMs: 60_000,
  storeSilenceMs: 15_000,
  deadLetterIntervalMs: 30_000,
  deadLetterMin: env.SVC_WRITER_DEAD_LETTER_MIN,
  deadLetterShare: env.SVC_WRITER_DEAD_LETTER_SHARE,
  progressThresholdMs: env.SVC_WRITER_PROGRESS_THRESHOLD_MS,
  drainGraceMs: env.SVC_WRITER_DRAIN_GRACE_MS,
  ledgerAuditMs: env.SVC_LEDGER_AUDIT_MS,
  auditShare: env.SVC_AUDIT_CPU_SHARE,
  brandAliases: brandAliasesOf(env.SVC_BRAND_ALIASES),
})
