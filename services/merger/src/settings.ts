// Settings of the merger: names in the code, variables, defaults, ranges.
import { ownerSettings } from '@svc-server/owner/settings'
import type { ValuesOf } from '@svc-server/service/configuration'
import { migrationSettings } from '@svc-server/stores/migration'
import { brandAliases, maxRowBytes, maxWork } from '@svc-server/stores/records'
import type { MergerConfig } from './app.ts'

const MiB = 1024 * 1024

export const mergerVariables = { ...migrationSettings, ...ownerSettings, maxRowBytes, maxWork, brandAliases }

/** What nobody sets but tests. */
const fixed = {
  /** How long a partition rests that only an operator can mend. */
  haltedPauseMs: 60_000,
  /** Time without an answer of the log after which readiness turns red. */
  storeSilenceMs: 15_000,
  threads: 1,
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

export const mergerConfig = (loaded: ValuesOf<typeof mergerVariables>): MergerConfig => ({ ...loaded, ...fixed })
