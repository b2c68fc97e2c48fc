// These settings determine whether the backfill runs, how large its chunks are, and when it pauses.
import { parseWindow, type Window } from '@svc-server/backfill/throttle'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { columnStoreSettings } from '@svc-server/stores/column-store-settings'
import { migrationProblems, migrationSettings } from '@svc-server/stores/migration'

const MiB = 1024 * 1024

export const backfillVariables = {
  ...migrationSettings,
  clustered: columnStoreSettings.clustered,
  clusterName: columnStoreSettings.clusterName,
  isEnabled: setting.flag({
    env: 'SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL',
    default: true,
    says: 'Copy v3’s data into the events tables, once, in the background. Set false to defer or skip this copy. Must be false in write mode legacy.',
  }),
  dropScratch: setting.flag({
    env: 'SVC_BACKGROUND_MIGRATION_V4_DROP_PID_TID_SORTING_TABLES',
    default: false,
    says: 'Drop the scratch tables after a successful backfill.',
  }),
  maxRows: setting.integer({
    env: 'SVC_BACKFILL_MAX_ROWS',
    default: 100_000,
    min: 100,
    max: 10_000_000,
    says: 'Maximum rows of the old tables per chunk. A chunk of large rows has fewer rows.',
  }),
  maxBytes: setting.bytes({
    env: 'SVC_BACKFILL_MAX_BYTES',
    default: '128MiB',
    min: MiB,
    max: 16_384 * MiB,
    says: 'Maximum bytes of rows per chunk. The runner estimates the bytes of a chunk from a sample of its rows.',
  }),
  rowsPerSecond: mapped(
    setting.integer({
      env: 'SVC_BACKFILL_MAX_ROWS_PER_SECOND',
      optional: true,
      min: 1,
      max: 1_000_000_000,
      says: 'Maximum rows that the backfill processes per second. By default, there is no fixed rate. With or without a rate, the backfill waits while the column store is busy.',
    }),
    (rows: number | undefined = undefined): number | null => rows ?? null,
  ),
  window: mapped(
    setting.text({
      env: 'SVC_BACKFILL_WINDOW',
      optional: true,
      valid: 'hours of the day in UTC, such as 22:00-06:00',
      pattern: /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/,
      says: 'Hours of the day (UTC) in which the backfill works. By default, it always works.',
    }),
    (text: string | undefined = undefined): Window | null => (text === undefined ? null : parseWindow(text)),
  ),
}

export const backfillProbePort = setting.port({
  env: 'SVC_BACKFILL_PROBE_PORT',
  default: 3050,
  says: 'Port of the backfill runner’s probes and metrics.',
})

export type BackfillConfig = ValuesOf<typeof backfillVariables>

export const backfillProblems = (config: BackfillConfig): readonly string[] => migrationProblems(config)
