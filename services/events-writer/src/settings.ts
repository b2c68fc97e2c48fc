// The writer's settings: names in the code, variables, defaults, ranges.
import { setting, type ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import type { Schedule } from './deletions/executor.ts'

const MiB = 1024 * 1024

export const writerVariables = {
  ...migrationSettings,
  chunkMaxRows: setting.integer({
    env: 'SVC_WRITER_CHUNK_MAX_ROWS',
    default: 40_000,
    min: 1,
    max: 200_000,
    says: 'Most rows of one insert.',
  }),
  chunkMaxBytes: setting.bytes({
    env: 'SVC_WRITER_CHUNK_MAX_BYTES',
    // The embedded profile shares its memory with the engine; a writer of its own has room for inserts that cost least.
    default: { embedded: '32MiB', remote: '180MiB' },
    min: MiB,
    max: 512 * MiB,
    says: 'Most bytes of rows of one insert, unless one record has more.',
  }),
  chunkMaxWork: setting.integer({
    env: 'SVC_WRITER_CHUNK_MAX_WORK',
    // A chunk has the encoding thread to itself: the other partitions wait for it. As many usual rows as an insert may have take five million.
    default: { embedded: 3_000_000, remote: 6_000_000 },
    min: 1,
    max: 1_000_000_000,
    says: 'Most units of work (about a microsecond each at worst) that one insert takes to map, unless one record takes more.',
  }),
  fetchMinBytes: setting.bytes({
    env: 'SVC_WRITER_FETCH_MIN_BYTES',
    default: '24MiB',
    min: 1,
    max: 512 * MiB,
    says: 'Bytes of a partition that are waited for before they are stored.',
  }),
  fetchMaxWaitMs: setting.durationMs({
    env: 'SVC_WRITER_FETCH_MAX_WAIT_MS',
    // On one node it is most of the time that a neighbour of a flood waits for its rows; twice the inserts of a trickle are a tenth of a core.
    default: { embedded: '500ms', remote: '1s' },
    min: 10,
    max: 60_000,
    says: 'Longest wait for them. It is part of the time from a span to its row.',
  }),
  fetchMaxBytes: setting.bytes({
    env: 'SVC_WRITER_FETCH_MAX_BYTES',
    default: '32MiB',
    min: MiB,
    max: 512 * MiB,
    says: 'Most bytes of a partition in memory, per chunk at work.',
  }),
  concurrency: setting.integer({
    env: 'SVC_WRITER_CONCURRENCY',
    default: 2,
    min: 1,
    max: 2,
    says: 'Chunks at work at the same time.',
  }),
  maxRecordBytes: setting.bytes({
    env: 'SVC_WRITER_MAX_RECORD_BYTES',
    default: '256MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Decoded bytes of one record above which it becomes a dead letter. Not below SVC_MAX_BODY_BYTES of the gateways.',
  }),
  maxRowBytes,
  maxWork,
  brandAliases,
  retryBudgetMs: setting.durationMs({
    env: 'SVC_WRITER_RETRY_BUDGET_MS',
    default: '30s',
    min: 0,
    max: 600_000,
    says: 'How long a chunk is held in memory while the column store is down or overloaded.',
  }),
  pauseMs: setting.durationMs({
    env: 'SVC_WRITER_PAUSE_MS',
    default: '2s',
    min: 10,
    max: 600_000,
    says: 'How long its partition rests after that.',
  }),
  deadLetterMin: setting.integer({
    env: 'SVC_WRITER_DEAD_LETTER_MIN',
    default: 100,
    min: 1,
    says:
      'Spans among the last 100,000, rejected for what no client can cause, that halt a partition when they are also more than ' +
      'SVC_WRITER_DEAD_LETTER_SHARE of them.',
  }),
  deadLetterShare: setting.ratio({
    env: 'SVC_WRITER_DEAD_LETTER_SHARE',
    default: 0.2,
    says: 'See SVC_WRITER_DEAD_LETTER_MIN.',
  }),
  progressThresholdMs: setting.durationMs({
    env: 'SVC_WRITER_PROGRESS_THRESHOLD_MS',
    default: '2m',
    min: 1_000,
    max: 3_600_000,
    says: 'Time without progress, with work waiting, after which health turns red.',
  }),
  ledgerAuditMs: setting.durationMs({
    env: 'SVC_LEDGER_AUDIT_MS',
    default: '30s',
    min: 10,
    max: 3_600_000,
    says: 'How often ledger and tables are asked whether every stored span is accounted for: svc_unaccounted_spans.',
  }),
  auditShare: setting.ratio({
    env: 'SVC_AUDIT_CPU_SHARE',
    default: 0.05,
    isPositive: true,
    says:
      'Share of one core that walking the log and looking for every span in both tables may take, the column store’s work for it ' +
      'included. Too little shows in svc_audit_lag_seconds.',
  }),
  drainGraceMs: setting.durationMs({
    env: 'SVC_WRITER_DRAIN_GRACE_MS',
    default: '20s',
    min: 0,
    max: 600_000,
    says: 'Time that a chunk at work has to finish when the process stops. One that is cut off is probed at the next start.',
  }),
}

/** What nobody sets but tests. */
const fixed = {
  retryMinMs: 100,
  retryMaxMs: 5_000,
  /** How long a partition rests that only an operator can mend. */
  haltedPauseMs: 60_000,
  /** Time without an answer after which a store turns readiness red. */
  storeSilenceMs: 15_000,
  /** How often the dead letters' topic is looked at. */
  deadLetterIntervalMs: 30_000,
}

export interface WriterConfig extends ValuesOf<typeof writerVariables>, Readonly<Record<keyof typeof fixed, number>> {
  /** Absent: seconds to minutes. */
  readonly deletionSchedule?: Schedule
}

export const writerConfig = (loaded: ValuesOf<typeof writerVariables>): WriterConfig => ({ ...loaded, ...fixed })
