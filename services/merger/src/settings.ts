// Settings of the merger: names in the code, variables, defaults, ranges.
import { ownerSettings } from '@svc-server/owner/settings'
import type { ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import type { MergerConfig } from './app.ts'

const MiB = 1024 * 1024

export const mergerVariables = { ...migrationSettings, ...ownerSettings, maxRowBytes, maxWork, brandAliases }

/** Only tests set these. */
const fixed = {
  /** Pause of a partition whose halt only an operator can resolve. */
  haltedPauseMs: 60_000,
  /** Time without a response of the log after which readiness turns red. */
  storeSilenceMs: 15_000,
  threads: 1,
  /** Bytes per read of a topic. */
  readBytes: 4 * MiB,
  /** Bytes of records and known entities in one transaction. */
  chunkBytes: 16 * MiB,
  /** Smaller than the largest allowed record, to leave room for the fill-ins that the propagator adds to a staged entity. */
  maxEntityBytes: 7 * MiB,
  /** Time for which an entity stays known after its newest record: the retention of the topic. */
  retentionMs: 7 * 24 * 3_600_000,
  passedRestMs: 1_000,
}

export const mergerConfig = (loaded: ValuesOf<typeof mergerVariables>): MergerConfig => ({ ...loaded, ...fixed })
