// Each test file has one engine, and each test has its own database.
import { randomUUID } from 'node:crypto'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import { tablesOf } from '../src/destinations/destination.ts'
import { destinations as ours } from '../src/destinations/index.ts'

export const password = 'test-password'

export async function startTestEngine(): Promise<{ engine: Engine; stop(): Promise<void> }> {
  const directory = await temporaryDirectory('svc-writer-engine-')
  await preparedDirectory('writer-engine', directory.path, migrate)
  // A history (a random test run) kills the engine a dozen times in a minute. If the engine dies soon after each start, each further
  // death lengthens the pause before the next start. `restartDelayMs` therefore limits the pause to 100 ms.
  const engine = await startEngine({ dataDir: directory.path, port: 0, password, restartDelayMs: [20, 100] })
  return {
    engine,
    async stop() {
      await engine.stop()
      await directory.remove()
    },
  }
}

/** A database with migrated tables. The tests copy its tables. */
const model = 'migrated_tables'

async function migrate(directory: string): Promise<void> {
  const engine = await startEngine({ dataDir: directory, port: 0, password, database: model })
  const columnStore = connect(engine, model)
  await migrateColumnStore(columnStore, { database: model, clustered: false })
  await columnStore.close()
  await engine.stop()
}

const modelTables = new WeakMap<Engine, Promise<Tables>>()

type Tables = readonly { readonly statement: string }[]

/** SQL condition that selects the tables that no test needs. Without these tables, creating a database takes half the time. */
const isOfOthers = `startsWith(name, 'analytics_') OR endsWith(name, '_migrations') OR name IN ('observations_batch_staging', 'blob_storage_file_log')`

const newDatabase = () => `test_${randomUUID().replaceAll('-', '')}`
const connect = ({ url, user }: Engine, database: string) => createColumnStore({ url, user, password, database, requestTimeoutMs: 20_000 })

async function tablesIn(engine: Engine): Promise<Tables> {
  const columnStore = connect(engine, engine.database)
  const tables = await columnStore.query<Tables[number]>(
    `SELECT create_table_query AS statement FROM system.tables
     WHERE database = '${model}' AND NOT (${isOfOthers}) ORDER BY endsWith(engine, 'View'), name`,
  )
  await columnStore.close()
  return tables
}

/**
 * Creates a database with the writer's tables. The copy of the tables takes a dozen statements. Migrations would take a hundred statements.
 */
export async function createTestStore(engine: Engine): Promise<ColumnStore> {
  const reading = modelTables.get(engine) ?? tablesIn(engine)
  modelTables.set(engine, reading)
  const tables = await reading
  const columnStore = connect(engine, newDatabase())
  const { database } = columnStore
  const admin = connect(engine, engine.database)
  await admin.command(`CREATE DATABASE ${database}`)
  for (const { statement } of tables) await admin.command(statement.replaceAll(model, database))
  // Stops merges, because a merge would hide duplicate rows.
  const merging = [...ours.list.flatMap(tablesOf), 'ingest_ledger']
  for (const table of merging) await admin.command(`SYSTEM STOP MERGES ${database}.${table}`)
  await admin.close()
  return columnStore
}
