// The column store of the standalone: the engine in a separate process, or a server.
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
 * Resolves with the column store's address once the store responds. Without a configured URL it starts the engine, which chooses a free
 * port when the setting is 0.
 */
export const embeddedColumnStoreAddress: Store<ColumnStoreAddress> = defineStore({
  name: 'The column store',
  needs: { directory: dataDirectory },
  variables: embeddedColumnStoreSettings,
  open: async (config, { directory }, { logger }) => {
    const { url } = config
    if (url !== undefined) return { store: { url, password: config.password ?? '' } }
    // If no password is configured, the password that the first start generated is used.
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
