import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import { type Bounds, deadlineIn } from '../src/sql/scope.ts'

export interface TestEngine extends AsyncDisposable {
  readonly columnStore: ColumnStore
}

export async function openEngine(): Promise<TestEngine> {
  const directory = await temporaryDirectory('svc-query-')
  await preparedDirectory('engine', directory.path, async path => (await openIn(path))[Symbol.asyncDispose]())
  const { columnStore, [Symbol.asyncDispose]: close } = await openIn(directory.path)
  return {
    columnStore,
    async [Symbol.asyncDispose]() {
      await close()
      await directory.remove()
    },
  }
}

async function openIn(dataDir: string): Promise<TestEngine> {
  const engine = await startEngine({ dataDir, port: 0, password: 'p' })
  const columnStore = createColumnStore({ url: engine.url, user: 'svc', password: 'p', database: 'svc', requestTimeoutMs: 30_000 })
  await migrateColumnStore(columnStore, { database: 'svc', clustered: false })
  return {
    columnStore,
    async [Symbol.asyncDispose]() {
      await columnStore.close()
      await engine.stop()
    },
  }
}

export const testBounds = (): Bounds => ({
  limits: { rows: 100_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 },
  deadline: deadlineIn(30, 'a test'),
  signal: undefined,
  comment: 'test',
})

/** Inserts rows. Missing columns get their defaults. */
export const insertRows = (columnStore: ColumnStore, table: string, rows: readonly object[]): Promise<void> =>
  columnStore.command(`INSERT INTO ${table} FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`)

export { textOfMicros as stored } from '../src/times.ts'
