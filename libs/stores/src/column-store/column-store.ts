import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { defineStore, type Store } from '@svc-server/service/store'
import { tracedColumnStore } from '../traced/column-store.ts'
import { type ColumnStoreConfig, columnStorePassword, columnStoreSettings, columnStoreUrl } from './settings.ts'

interface Address {
  readonly url: string
  readonly password: string | undefined
  readonly maxReadThreads?: number
}

/** On a server with many cores, a read must leave cores to inserts. The embedded engine limits its threads itself. */
export const threadsOfServerReads = 8

/** Connects on first use. */
export const connectColumnStore = (
  config: Pick<ColumnStoreConfig, 'user' | 'database' | 'requestTimeoutMs' | 'clustered' | 'lightweightUpdates'>,
  { url, password, maxReadThreads }: Address,
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
      maxReadThreads,
    }),
  )

/** Neither checks nor migrates tables. */
export const columnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  variables: { url: columnStoreUrl, password: columnStorePassword, ...columnStoreSettings },
  open: async ({ url, password, ...config }) => {
    const store = connectColumnStore(config, { url, password, maxReadThreads: threadsOfServerReads })
    return { store, close: () => store.close() }
  },
})
