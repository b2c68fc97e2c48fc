// The standalone's column store: the embedded engine in a separate process, or a server.
import type { ColumnStore } from '@svc-server/column-store/port'
import { startEngine } from '@svc-server/embedded-engine'
import { processSettings } from '@svc-server/service/lifecycle'
import { defineStore, type Store } from '@svc-server/service/store'
import { dataDirectory } from '../data-directory/store.ts'
import { connectColumnStore } from './column-store.ts'
import { columnStoreSettings, engineSettings, madeColumnStorePassword, optionalColumnStoreUrl } from './settings.ts'

export const embeddedColumnStoreSettings = {
  url: optionalColumnStoreUrl,
  password: madeColumnStorePassword,
  ...columnStoreSettings,
  ...engineSettings,
  bind: processSettings.bind,
}

export interface ColumnStoreAddress {
  readonly url: string
  readonly password: string
}

/**
 * Resolves with the configured URL at once. Without a configured URL, this store starts the embedded engine, and resolves with the engine's
 * address when the engine responds. With port 0, the engine chooses a free port.
 */
export const embeddedColumnStoreAddress: Store<ColumnStoreAddress> = defineStore({
  name: 'The column store',
  needs: { directory: dataDirectory },
  variables: embeddedColumnStoreSettings,
  open: async (config, { directory }, { logger }) => {
    const { url } = config
    if (url !== undefined) return { store: { url, password: config.password ?? '' } }
    const password = config.password ?? directory.secrets.columnStorePassword
    const engine = await startEngine({
      dataDir: directory.paths.columnStore,
      host: config.bind,
      port: config.port,
      user: config.user,
      password,
      database: config.database,
      memoryLimitBytes: config.memoryLimit,
      silenceMs: config.silenceMs,
      isBehindParent: true,
      logger,
    })
    return { store: { url: engine.url, password }, close: () => engine.stop() }
  },
})

export const embeddedColumnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  needs: { address: embeddedColumnStoreAddress },
  variables: embeddedColumnStoreSettings,
  open: async (config, { address }) => {
    const store = connectColumnStore(config, address)
    return { store, close: () => store.close() }
  },
})
