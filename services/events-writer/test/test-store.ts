// The column store of a test: one engine for a file, a database for each test.
import { randomUUID } from 'node:crypto'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { temporaryDirectory } from '@svc-server/testkit'
import { tablesOf } from '../src/destinations/destination.ts'
import { destinations as ours } from '../src/destinations/index.ts'

export const password = 'test-password'

export async function startTestEngine(): Promise<{ engine: Engine; stop(): Promise<void> }> {
  const directory = await temporaryDirectory('svc-writer-engine-')
  const engine = await startEngine({ dataDir: directory.path, port: 0, password })
  return {
    engine,
    async stop() {
      await engine.stop()
      await directory.remove()
    },
  }
}

/** The migrated tables of an engine: what makes one of them, and whether migrating left rows in it. */
const migratedTables = new WeakMap<Engine, Promise<Migrated>>()

interface Migrated {
  readonly database: string
  readonly tables: readonly { readonly name: string; readonly statement: string; readonly hasRows: 0 | 1 }[]
}

const newDatabase = () => `test_${randomUUID().replaceAll('-', '')}`
const connect = ({ url, user }: Engine, database: string) => createColumnStore({ url, user, password, database, requestTimeoutMs: 20_000 })

async function migrateOnce(engine: Engine): Promise<Migrated> {
  const database = newDatabase()
  const admin = connect(engine, engine.database)
  await admin.command(`CREATE DATABASE ${database}`)
  await admin.close()
  const columnStore = connect(engine, database)
  await migrateColumnStore(columnStore, { database, clustered: false })
  const tables = await columnStore.query<Migrated['tables'][number]>(
    `SELECT name, create_table_query AS statement, ifNull(total_rows, 0) > 0 AS hasRows FROM system.tables
     WHERE database = '${database}' ORDER BY endsWith(engine, 'View'), name`,
  )
  await columnStore.close()
  return { database, tables }
}

/**
 * A database of its own, with tables as a writer wants them. An engine is migrated once; each further database has the tables that came of it: two
 * dozen statements in place of a hundred.
 */
export async function createTestStore(engine: Engine): Promise<ColumnStore> {
  const migrated = migratedTables.get(engine) ?? migrateOnce(engine)
  migratedTables.set(engine, migrated)
  const { database: model, tables } = await migrated
  const columnStore = connect(engine, newDatabase())
  const { database } = columnStore
  const admin = connect(engine, engine.database)
  await admin.command(`CREATE DATABASE ${database}`)
  for (const { name, statement, hasRows } of tables) {
    await admin.command(statement.replaceAll(model, database))
    if (hasRows) await admin.command(`INSERT INTO ${database}.${name} SELECT * FROM ${model}.${name}`)
  }
  // A merge would hide what was stored twice.
  const merging = [...ours.list.flatMap(tablesOf), 'ingest_ledger']
  for (const table of merging) await admin.command(`SYSTEM STOP MERGES ${database}.${table}`)
  await admin.close()
  return columnStore
}
