import { ownerSettings } from '@svc-server/owner/settings'
import { setting, type ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import { windowTimes } from '@svc-server/stores/windows'

const MiB = 1024 * 1024

export const propagatorVariables = {
  ...migrationSettings,
  ...windowTimes,
  maxTraceSpans: setting.integer({
    env: 'SVC_PROPAGATION_MAX_TRACE_SPANS',
    default: 50_000,
    min: 1,
    max: 10_000_000,
    says: 'The propagator adds the attributes of a trace to at most this number of the trace’s spans. Further spans are published unchanged and counted.',
  }),
  maxProjectTraces: setting.integer({
    env: 'SVC_PROPAGATION_MAX_PROJECT_TRACES',
    default: 5_000_000,
    min: 1,
    max: 1_000_000_000,
    says: 'Within 48 hours, the propagator adds trace attributes to the spans of at most this many traces of each project. Spans of further traces are published unchanged and counted.',
  }),
  maxWindowTraces: setting.integer({
    env: 'SVC_PROPAGATION_MAX_WINDOW_TRACES',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    says: 'Maximum traces in one partition’s window. A window with more traces closes early, so that its memory stays bounded.',
  }),
  repairBytesPerSecond: setting.bytes({
    env: 'SVC_PROPAGATION_REPAIR_BYTES_PER_SECOND',
    default: '16MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Maximum rate, in bytes per second, at which the repairs of one partition publish staged records again. With this limit, repairs leave time to publish new windows.',
  }),
  ...ownerSettings,
  maxRowBytes,
  maxWork,
  brandAliases,
}

/** Settings that only tests change. */
const fixed = {
  /** Pause between two attempts on a halted partition. */
  haltedPauseMs: 60_000,
  storeSilenceMs: 15_000,
  /** An open window keeps the offset of each record in memory. */
  maxWindowRecords: 1_000_000,
  /** Maximum memory for the attributes of a window's traces. Without this limit, a few compressed bytes could expand to long texts. */
  maxWindowBytes: 128 * MiB,
  readBytes: 4 * MiB,
  publishBytes: 4 * MiB,
  /** Time for which the state keeps a trace after the end of the trace's last window. The state measures this time in append times. */
  retentionMs: 48 * 3_600_000,
  threads: 1,
}

export interface PropagatorConfig extends ValuesOf<typeof propagatorVariables>, Readonly<Record<keyof typeof fixed, number>> {}

export const propagatorConfig = (loaded: ValuesOf<typeof propagatorVariables>): PropagatorConfig => ({ ...loaded, ...fixed })
