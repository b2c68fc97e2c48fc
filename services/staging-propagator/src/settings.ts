// The propagator's settings: names in the code, variables, defaults, ranges.
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import { windowTimes } from '@svc-server/stores/windows'

import type { MergerConfig } from './merger/app.ts'

const MiB = 1024 * 1024

export const propagatorVariables = {
  ...migrationSettings,
  ...windowTimes,
  stuckThresholdMs: mapped(
    setting.minutes({
      env: 'SVC_EVENT_PROPAGATION_STUCK_THRESHOLD_MINUTES',
      default: 15,
      min: 1,
      max: 1440,
      says:
        'Time without a publication, with staged spans waiting, after which the worker’s health says stuck; ' +
        'without a merge, with events waiting, as well.',
    }),
    minutes => minutes * 60_000,
  ),
  maxTraceSpans: setting.integer({
    env: 'SVC_PROPAGATION_MAX_TRACE_SPANS',
    default: 50_000,
    min: 1,
    max: 10_000_000,
    says: 'Spans of one trace that are filled. What comes after them is passed on as it is, and counted.',
  }),
  /** Of all partitions together. */
  maxProjectTraces: setting.integer({
    env: 'SVC_PROPAGATION_MAX_PROJECT_TRACES',
    default: 5_000_000,
    min: 1,
    max: 1_000_000_000,
    says: 'Traces of one project within 48 hours that are filled. What comes after them is passed on as it is, and counted.',
  }),
  maxWindowTraces: setting.integer({
    env: 'SVC_PROPAGATION_MAX_WINDOW_TRACES',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    says: 'Traces of one partition at which a window is closed before its time: the bound on its memory.',
  }),
  repairBytesPerSecond: setting.bytes({
    env: 'SVC_PROPAGATION_REPAIR_BYTES_PER_SECOND',
    default: '16MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Staged bytes that may be published again per second and partition, so that repairs leave room for windows.',
  }),
  maxRecordBytes: setting.bytes({
    env: 'SVC_PROPAGATION_MAX_RECORD_BYTES',
    default: '256MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Decoded bytes of one record above which it becomes a dead letter. Not below SVC_MAX_BODY_BYTES of the gateways.',
  }),
  maxRowBytes,
  maxWork,
  brandAliases,
  deadLetterMin: setting.integer({
    env: 'SVC_PROPAGATION_DEAD_LETTER_MIN',
    default: 100,
    min: 1,
    says:
      'Spans among the last 100,000, rejected for what no client can cause, that halt a partition when they are also more than ' +
      'the share below.',
  }),
  deadLetterShare: setting.ratio({
    env: 'SVC_PROPAGATION_DEAD_LETTER_SHARE',
    default: 0.2,
    says: 'See SVC_PROPAGATION_DEAD_LETTER_MIN.',
  }),
}

/** What nobody sets but tests. */
const fixed = {
  /** How long a partition rests that only an operator can mend. */
  haltedPauseMs: 60_000,
  /** Time without an answer of the log after which readiness turns red. */
  storeSilenceMs: 15_000,
  /** Records of a window: each costs an offset in memory. */
  maxWindowRecords: 1_000_000,
  /**
   * What the traces of a window may say, in memory: many long words of clients that send little, compressed.
   */
  maxWindowBytes: 128 * MiB,
  /** Staged bytes read at a time. */
  readBytes: 4 * MiB,
  /** Staged bytes of one transaction. */
  publishBytes: 4 * MiB,
  /** How long a trace is known after its last window, by log time. */
  retentionMs: 48 * 3_600_000,
  threads: 1,
}

/** The same of the merger. */
const fixedOfMerger = {
  /** Bytes of a topic read at a time. */
  readBytes: 4 * MiB,
  /** Of records and of what is known of their entities, in one transaction. */
  chunkBytes: 16 * MiB,
  /** Below the largest record: a staged one is filled later. */
  maxEntityBytes: 7 * MiB,
  /** How long an entity is known after its newest record: as long as the topic keeps it. */
  retentionMs: 7 * 24 * 3_600_000,
  passedRestMs: 1_000,
}

export interface PropagatorConfig extends ValuesOf<typeof propagatorVariables>, Readonly<Record<keyof typeof fixed, number>> {}

export const propagatorConfig = (loaded: ValuesOf<typeof propagatorVariables>): PropagatorConfig => ({ ...loaded, ...fixed })

export const mergerConfig = (loaded: ValuesOf<typeof propagatorVariables>): MergerConfig => ({ ...loaded, ...fixed, ...fixedOfMerger })
