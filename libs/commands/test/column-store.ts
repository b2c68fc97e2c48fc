import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory } from '@svc-server/testkit'

const password = 'test'

const start = (dataDir: string) => startEngine({ dataDir, port: 0, password })
const connect = ({ url, user, database }: Engine) => createColumnStore({ url, user, password, database, requestTimeoutMs: 20_000 })

async function migrate(directory: string): Promise<void> {
  const engine = await start(directory)
  const columnStore = connect(engine)
  await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
  await columnStore.close()
  await engine.stop()
}

export interface OpenedColumnStore {
  readonly columnStore: ColumnStore
  close(): Promise<void>
}

export async function openColumnStore(directory: string): Promise<OpenedColumnStore> {
  await preparedDirectory('engine', directory, migrate)
  const engine = await start(directory)
  const columnStore = connect(engine)
  return {
    columnStore,
    async close() {
      await columnStore.close()
      await engine.stop()
    },
  }
}
