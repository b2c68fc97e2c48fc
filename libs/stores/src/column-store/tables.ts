// Migrates the tables of the column store to the schema of this release, and then provides the column store. Migrations need the relational
// store for their lock. A process that only runs queries uses `column-store.ts`, which runs no migrations and needs no relational store.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError, isRetryable } from '@svc-server/errors'
import { defineStore, type Store } from '@svc-server/service/store'
import { relational } from '../relational/relational.ts'
import { columnStoreMigrationSettings, nativeProblems } from '../schema-migrations.ts'
import { columnStore } from './column-store.ts'
import { migrateTables } from './migrate-tables.ts'
import { columnStoreSettings } from './settings.ts'

/**
 * Checks at startup that the user may run lightweight updates. Each change of a bookmark or a public flag needs this permission. Without
 * the check, a missing permission would be noticed only at the first such change.
 */
async function requireLightweightUpdates(columnStore: ColumnStore): Promise<void> {
  try {
    await columnStore.query('SELECT 1 SETTINGS enable_lightweight_update = 1')
  } catch (error) {
    if (isAppError(error) && isRetryable(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const text = `COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE=true: the user must be allowed to set enable_lightweight_update. ${reason}`
    throw new AppError('config_invalid', text, {}, { cause: error })
  }
}

export const tables: Store<ColumnStore> = defineStore({
  name: 'The column store',
  needs: { relational, columnStore },
  variables: {
    clustered: columnStoreSettings.clustered,
    clusterName: columnStoreSettings.clusterName,
    lightweightUpdates: columnStoreSettings.lightweightUpdates,
    ...columnStoreMigrationSettings,
  },
  validate: nativeProblems,
  open: async ({ clustered, clusterName, migrationDisabled, lightweightUpdates }, { relational, columnStore }) => {
    if (lightweightUpdates) await requireLightweightUpdates(columnStore)
    await migrateTables(columnStore, { clustered, clusterName, relational, apply: !migrationDisabled })
    return { store: columnStore }
  },
})
