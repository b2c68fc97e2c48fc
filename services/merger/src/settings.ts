import { ownerSettings } from '@svc-server/owner/settings'
import type { ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import type { MergerConfig } from './app.ts'

const MiB = 1024 * 1024

export const mergerVariables = { ...migrationSettings, ...ownerSettings, maxRowBytes, maxWork, brandAliases }

/** Settings that only tests change. */
const fixed = {
  /** Pause before a halted partition is retried. */
  haltedPauseMs: 60_000,
  /** Readiness turns red when the log has not responded for this long. */
  storeSilenceMs: 15_000,
  threads: 1,
  readBytes: 4 * MiB,
  chunkBytes: 16 * MiB,
  /**
   * Maximum bytes of an entity's record. The maximum is below the size limit of a log record, because the propagator adds attributes to a
   * staged entity.
   */
  maxEntityBytes: 7 * MiB,
  /** Time for which the state keeps an entity after its newest record. It equals the retention of the topic `entities`. */
  retentionMs: 7 * 24 * 3_600_000,
  passedRestMs: 1_000,
}

export const mergerConfig = (loaded: ValuesOf<typeof mergerVariables>): MergerConfig => ({ ...loaded, ...fixed })
