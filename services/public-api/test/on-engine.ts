import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import { type ApiTestOptions, startApi, type TestApi } from './api.ts'

const password = 'test-password'

export interface ApiOnEngine {
  readonly api: TestApi
  readonly columnStore: ColumnStore
  close(): Promise<void>
}

/** Starts an API on an engine. `prepare` runs before the API starts. With `dataDir`, the engine's data is kept. */
export async function startOnEngine(
  prepare: (columnStore: ColumnStore) => Promise<unknown>,
  { dataDir, ...options }: Omit<ApiTestOptions, 'columnStore'> & { readonly dataDir?: string | undefined } = {},
): Promise<ApiOnEngine> {
  const directory = await temporaryDirectory('svc-api-')
  if (dataDir === undefined) await preparedDirectory('engine', directory.path, async path => (await openIn(path, 30_000)).close())
  const { columnStore, close } = await openIn(dataDir ?? directory.path, dataDir === undefined ? 30_000 : 300_000)
  await prepare(columnStore)
  const api = await startApi({ ...options, columnStore })
  return {
    api,
    columnStore,
    async close() {
      await api[Symbol.asyncDispose]()
      await close()
      await directory.remove()
    },
  }
}

/** Starts an engine in a prepared directory. Its tables need no migration. */
async function openIn(dataDir: string, requestTimeoutMs: number) {
  const engine = await startEngine({ dataDir, port: 0, password })
  const columnStore = createColumnStore({ url: engine.url, user: 'svc', password, database: 'svc', requestTimeoutMs })
  await migrateColumnStore(columnStore, { database: 'svc', clustered: false })
  return {
    columnStore,
    async close() {
      await columnStore.close()
      await engine.stop()
    },
  }
}
