// The column store: a ClickHouse server, and its tables at this version.

import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError, isRetryable } from '@svc-server/errors'
import { defineStore, type Store } from '@svc-server/service/store'
import { relational } from '../relational/relational.ts'
import { columnStoreMigrationSettings, nativeProblems } from '../schema-migrations.ts'
import { migrateTables } from './migrate-tables.ts'
import { type ColumnStoreConfig, columnStorePassword, columnStoreSettings, columnStoreUrl } from './settings.ts'

/** Connects on first use. */
export const connectColumnStore = (
  config: Pick<ColumnStoreConfig, 'user' | 'database' | 'requestTimeoutMs' | 'clustered' | 'lightweightUpdates'>,
  { url, password }: { readonly url: string; readonly password: string | undefined },
): ColumnStore =>
  createColumnStore({
    url,
    user: config.user,
    password: password ?? '',
    database: config.database,
    requestTimeoutMs: config.requestTimeoutMs,
    replicated: config.clustered,
    lightweightUpdates: config.lightweightUpdates,
  })

/** Whatever tables it has. */
export const columnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  variables: { url: columnStoreUrl, password: columnStorePassword, ...columnStoreSettings },
  open: async ({ url, password, ...config }) => {
    const store = connectColumnStore(config, { url, password })
    return { store, close: () => store.close() }
  },
})

/** Said at start, and not with the first bookmark. */
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

/** The same with its tables brought to this version. */
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
