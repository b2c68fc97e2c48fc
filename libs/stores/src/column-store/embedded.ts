// The column store of the standalone: the engine in a process of its own, or a server.
import type { ColumnStore } from '@svc-server/column-store/port'
import { startEngine } from '@svc-server/embedded-engine'
import type { ValuesOf } from '@svc-server/service/configuration'
import { processSettings } from '@svc-server/service/lifecycle'
import { defineStore, type Store } from '@svc-server/service/store'
import type { DataDirectory } from '../data-directory/data-directory.ts'
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

/** Where it is, with the password that the first start made where none is set. */
export function columnStoreAddress(
  { url, password, bind, port }: Pick<ValuesOf<typeof embeddedColumnStoreSettings>, 'url' | 'password' | 'bind' | 'port'>,
  { secrets }: Pick<DataDirectory, 'secrets'>,
): { readonly url: string; readonly password: string } {
  return {
    url: url ?? `http://${bind === '0.0.0.0' ? '127.0.0.1' : bind}:${port}`,
    password: password ?? (url === undefined ? secrets.columnStorePassword : ''),
  }
}

export const embeddedColumnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  needs: { directory: dataDirectory },
  variables: embeddedColumnStoreSettings,
  open: async (config, { directory }, { logger }) => {
    const address = columnStoreAddress(config, directory)
    const engine =
      config.url === undefined
        ? await startEngine({
            dataDir: directory.paths.columnStore,
            host: config.bind,
            port: config.port,
            user: config.user,
            password: address.password,
            database: config.database,
            memoryLimitBytes: config.memoryLimit,
            silenceMs: config.silenceMs,
            logger,
          })
        : undefined
    const store = connectColumnStore(config, address)
    return {
      store,
      async close() {
        await store.close()
        await engine?.stop()
      },
    }
  },
})
