import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { defineStore, type Store } from '@svc-server/service/store'
import { tracedColumnStore } from '../traced/column-store.ts'
import { type ColumnStoreConfig, columnStorePassword, columnStoreSettings, columnStoreUrl } from './settings.ts'

/** Connects on first use. */
export const connectColumnStore = (
  config: Pick<ColumnStoreConfig, 'user' | 'database' | 'requestTimeoutMs' | 'clustered' | 'lightweightUpdates'>,
  { url, password }: { readonly url: string; readonly password: string | undefined },
): ColumnStore =>
  tracedColumnStore(
    createColumnStore({
      url,
      user: config.user,
      password: password ?? '',
      database: config.database,
      requestTimeoutMs: config.requestTimeoutMs,
      replicated: config.clustered,
      lightweightUpdates: config.lightweightUpdates,
    }),
  )

/** Neither checks nor migrates tables. */
export const columnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  variables: { url: columnStoreUrl, password: columnStorePassword, ...columnStoreSettings },
  open: async ({ url, password, ...config }) => {
    const store = connectColumnStore(config, { url, password })
    return { store, close: () => store.close() }
  },
})
