// Settings of the writer.
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
    says: 'Maximum rows of one insert.',
  }),
  chunkMaxBytes: setting.bytes({
    env: 'SVC_WRITER_CHUNK_MAX_BYTES',
    // In the embedded profile, the writer shares its memory with the engine, so the default is small. In its own process, the writer uses
    // the size with the lowest cost per row.
    default: { embedded: '32MiB', remote: '180MiB' },
    min: MiB,
    max: 512 * MiB,
    says: 'Maximum size of the rows of one insert, in bytes. A single record above this maximum is still inserted.',
  }),
  chunkMaxWork: setting.integer({
    env: 'SVC_WRITER_CHUNK_MAX_WORK',
    // While an encoding thread maps one insert, all other partitions of this thread wait. This maximum limits the wait. An insert of 40,000
    // rows (the default of `chunkMaxRows`) takes five million units of work if the rows have the usual size. Only the default of `remote`
    // allows this.
    default: { embedded: 3_000_000, remote: 6_000_000 },
    min: 1,
    max: 1_000_000_000,
    says: 'Maximum units of work for mapping the records of one insert. A unit takes at most about one microsecond. A single record above this maximum is still inserted.',
  }),
  fetchMinBytes: setting.bytes({
    env: 'SVC_WRITER_FETCH_MIN_BYTES',
    default: '24MiB',
    min: 1,
    max: 512 * MiB,
    says: 'The writer stores the records of a partition as soon as they have at least this many bytes.',
  }),
  fetchMaxWaitMs: setting.durationMs({
    env: 'SVC_WRITER_FETCH_MAX_WAIT_MS',
    // While one project sends a flood of spans to a single node, the spans of other projects are delayed mostly by this wait. At low load,
    // a wait of 500 ms instead of 1 s doubles the number of inserts. The additional inserts cost 10 % of a core.
    default: { embedded: '500ms', remote: '1s' },
    min: 10,
    max: 60_000,
    says: 'Maximum time that the writer waits until a partition has SVC_WRITER_FETCH_MIN_BYTES of records. While the writer waits, spans that have arrived are not readable yet.',
  }),
  fetchMaxBytes: setting.bytes({
    env: 'SVC_WRITER_FETCH_MAX_BYTES',
    default: '32MiB',
    min: MiB,
    max: 512 * MiB,
    says: 'Maximum bytes of the records in memory for each chunk in progress. All records of a chunk are from one partition.',
  }),
  concurrency: setting.integer({
    env: 'SVC_WRITER_CONCURRENCY',
    default: 2,
    min: 1,
    max: 2,
    says: 'Maximum number of chunks in progress at the same time.',
  }),
  maxRecordBytes: setting.bytes({
    env: 'SVC_WRITER_MAX_RECORD_BYTES',
    default: '256MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Largest record in decoded bytes. A record above this size becomes a dead letter. Must be at least SVC_MAX_BODY_BYTES of the gateways.',
  }),
  maxRowBytes,
  maxWork,
  brandAliases,
  retryBudgetMs: setting.durationMs({
    env: 'SVC_WRITER_RETRY_BUDGET_MS',
    default: '30s',
    min: 0,
    max: 600_000,
    says: 'How long a chunk stays in memory and is retried while the column store is down or overloaded. If a chunk is not stored in time, the writer pauses the chunk’s partition.',
  }),
  pauseMs: setting.durationMs({
    env: 'SVC_WRITER_PAUSE_MS',
    default: '2s',
    min: 10,
    max: 600_000,
    says: 'How long a partition is paused after SVC_WRITER_RETRY_BUDGET_MS has run out.',
  }),
  deadLetterMin: setting.integer({
    env: 'SVC_WRITER_DEAD_LETTER_MIN',
    default: 100,
    min: 1,
    says: 'A partition halts only if at least this number of its last 100,000 spans were rejected for server-side reasons. The share SVC_WRITER_DEAD_LETTER_SHARE must also be exceeded.',
  }),
  deadLetterShare: setting.ratio({
    env: 'SVC_WRITER_DEAD_LETTER_SHARE',
    default: 0.2,
    says: 'A partition halts only if more than this share of its last 100,000 spans was rejected for server-side reasons. The number of rejected spans must also be at least SVC_WRITER_DEAD_LETTER_MIN.',
  }),
  progressThresholdMs: setting.durationMs({
    env: 'SVC_WRITER_PROGRESS_THRESHOLD_MS',
    default: '2m',
    min: 1_000,
    max: 3_600_000,
    says: 'The health endpoint reports a failure if work waits and the writer has made no progress for this long.',
  }),
  ledgerAuditMs: setting.durationMs({
    env: 'SVC_LEDGER_AUDIT_MS',
    default: '30s',
    min: 10,
    max: 3_600_000,
    says: 'How often the writer audits the ledger and the tables. The audits set svc_unaccounted_spans.',
  }),
  auditShare: setting.ratio({
    env: 'SVC_AUDIT_CPU_SHARE',
    default: 0.05,
    isPositive: true,
    says: 'Share of one CPU core that the audit can use, including its queries in the column store. The audit looks up every span of the log in both events tables. If this CPU share is too small, svc_audit_lag_seconds grows.',
  }),
  drainGraceMs: setting.durationMs({
    env: 'SVC_WRITER_DRAIN_GRACE_MS',
    default: '20s',
    min: 0,
    max: 600_000,
    says: 'When the process stops, chunks in progress have this time to finish. At its next start, the writer looks up which rows of an unfinished chunk were stored.',
  }),
}

/** Settings that only tests change. */
const fixed = {
  retryMinMs: 100,
  retryMaxMs: 5_000,
  /** Pause before a halted partition is retried. */
  haltedPauseMs: 60_000,
  storeSilenceMs: 15_000,
  deadLetterIntervalMs: 30_000,
}

export interface WriterConfig extends ValuesOf<typeof writerVariables>, Readonly<Record<keyof typeof fixed, number>> {
  /**
   * Delays and intervals that determine when the writer hides and removes the rows of a deletion. Some of the default values are minutes
   * long.
   */
  readonly deletionSchedule?: Schedule
}

export const writerConfig = (loaded: ValuesOf<typeof writerVariables>): WriterConfig => ({ ...loaded, ...fixed })
