// v3's schema, and the changes that v4's migrations make to it.
import type { Dialect } from '../dialect.ts'
import { datasetRunItems, supersededDatasetRunItems } from './dataset-run-items.ts'
import { observations, observationsBatchStaging } from './observations.ts'
import { attribution, scores } from './scores.ts'
import { blobStorageFileLog, createEventLog, createProjectEnvironments } from './superseded.ts'
import { createOldTable, type OldTable } from './table.ts'
import { traces } from './traces.ts'
import { createAnalyticsViews } from './views.ts'

/** The writer fills them. */
export const oldTables: readonly OldTable[] = [traces, observations, scores, datasetRunItems]

export { createEventLog, createProjectEnvironments }

export const createSupersededRunItems = (dialect: Dialect): string => createOldTable(dialect, supersededDatasetRunItems)

export const createStaging = (dialect: Dialect): string => createOldTable(dialect, observationsBatchStaging)

/** Creates the schema that v3 has after migration 37. */
export const createV3Schema = (dialect: Dialect): readonly string[] => [
  ...[...oldTables, blobStorageFileLog].map(table => createOldTable(dialect, table)),
  createEventLog(dialect),
  createProjectEnvironments(dialect),
  createSupersededRunItems(dialect),
  ...createAnalyticsViews(dialect),
]

const alterStaging = (dialect: Dialect) => `ALTER TABLE ${dialect.table('observations_batch_staging')}${dialect.onCluster}`

export const addStagingAttribution = (dialect: Dialect): string =>
  `${alterStaging(dialect)}\n${attribution.map(c => `  ADD COLUMN IF NOT EXISTS ${c.name} ${c.type} DEFAULT ${c.default}`).join(',\n')}`

export const dropStagingAttribution = (dialect: Dialect): string =>
  `${alterStaging(dialect)}\n${attribution.map(c => `  DROP COLUMN IF EXISTS ${c.name}`).join(',\n')}`

/** Adds settings that tables of v3 lack. With these settings, an acknowledged insert is durable, and the engine recognizes a retry. */
export const makeDurable = (dialect: Dialect, { name }: OldTable): string => {
  const settings = Object.entries(dialect.durability).map(([setting, value]) => `${setting} = ${value}`)
  return `ALTER TABLE ${dialect.table(name)}${dialect.onCluster} MODIFY SETTING ${settings.join(', ')}`
}

export const resetDurability = (dialect: Dialect, { name }: OldTable): string =>
  `ALTER TABLE ${dialect.table(name)}${dialect.onCluster} RESET SETTING ${Object.keys(dialect.durability).join(', ')}`
