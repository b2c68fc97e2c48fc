// The column store: a ClickHouse server, and its tables at this version.

import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { defineStore, type Store } from '@svc-server/service/store'
import { relational } from '../relational/relational.ts'
import { migrateTables } from './migrate-tables.ts'
import { type ColumnStoreConfig, columnStorePassword, columnStoreSettings, columnStoreUrl } from './settings.ts'

/** Connects on first use. */
export const connectColumnStore = (
  config: Pick<ColumnStoreConfig, 'user' | 'database' | 'requestTimeoutMs' | 'clustered'>,
  { url, password }: { readonly url: string; readonly password: string | undefined },
): ColumnStore =>
  createColumnStore({
    url,
    user: config.user,
    password: password ?? '',
    database: config.database,
    requestTimeoutMs: config.requestTimeoutMs,
    replicated: config.clustered,
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

/** The same with its tables brought to this version. */
export const tables: Store<ColumnStore> = defineStore({
  name: 'The column store',
  needs: { relational, columnStore },
  variables: { clustered: columnStoreSettings.clustered, clusterName: columnStoreSettings.clusterName },
  open: async ({ clustered, clusterName }, { relational, columnStore }) => {
    await migrateTables(columnStore, { clustered, clusterName, relational })
    return { store: columnStore }
  },
})
