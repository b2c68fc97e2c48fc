import { randomUUID } from 'node:crypto'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import type { RowVersion } from '../src/presence/key.ts'

const password = 'test-password'

/** Name of the migrated database that the tests copy. A migration needs a hundred statements, but a copy needs only a dozen. */
const model = 'migrated_tables'
const connectTo = ({ url, user }: Engine, database: string) =>
  createColumnStore({ url, user, password, database, requestTimeoutMs: 20_000 })

async function migrate(directory: string): Promise<void> {
  const engine = await startEngine({ dataDir: directory, port: 0, password, database: model })
  const store = connectTo(engine, model)
  await migrateColumnStore(store, { database: model, clustered: false })
  await store.close()
  await engine.stop()
}

export interface TestEngine {
  /** Merges are stopped, because a merge would remove doubled rows. */
  tables(): Promise<ColumnStore>
  stop(): Promise<void>
}

export async function startTestEngine(): Promise<TestEngine> {
  const directory = await temporaryDirectory('svc-conservation-engine-')
  await preparedDirectory('conservation-engine', directory.path, migrate)
  const engine = await startEngine({ dataDir: directory.path, port: 0, password })
  const opened: ColumnStore[] = []
  const connect = (database: string) => {
    const store = connectTo(engine, database)
    opened.push(store)
    return store
  }
  const admin = connect(engine.database)
  const made = await admin.query<{ statement: string }>(
    `SELECT create_table_query AS statement FROM system.tables
     WHERE database = '${model}' AND NOT (startsWith(name, 'analytics_') OR endsWith(name, '_migrations')) ORDER BY endsWith(engine, 'View'), name`,
  )
  return {
    async tables() {
      const database = `test_${randomUUID().replaceAll('-', '')}`
      await admin.command(`CREATE DATABASE ${database}`)
      for (const { statement } of made) await admin.command(statement.replaceAll(model, database))
      const store = connect(database)
      for (const table of ['events_full', 'events_core']) await store.command(`SYSTEM STOP MERGES ${database}.${table}`)
      return store
    },
    async stop() {
      for (const store of opened) await store.close()
      await engine.stop()
      await directory.remove()
    },
  }
}

export interface HandRow extends RowVersion {
  readonly isDeleted?: boolean
  /** Format: topic/partition/offset#number. */
  readonly provenance?: string
}

/**
 * A view copies the rows to events_core. Each insert has its own token. Without the token, the engine would ignore a block of equal rows,
 * because it would mistake the block for a retry.
 */
export async function insertRows(store: ColumnStore, rows: readonly HandRow[]): Promise<void> {
  const lines = rows.map(({ projectId, traceId, spanId, startTimeUs, eventTsUs, isDeleted = false, provenance = '' }) =>
    JSON.stringify({
      project_id: projectId,
      trace_id: traceId,
      span_id: spanId,
      start_time: decimal(startTimeUs),
      event_ts: decimal(eventTsUs),
      is_deleted: isDeleted ? 1 : 0,
      blob_storage_file_path: provenance,
    }),
  )
  await store.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts, is_deleted, blob_storage_file_path)
     SETTINGS async_insert = 0, insert_deduplication_token = '${randomUUID()}', max_partitions_per_insert_block = 1000 FORMAT JSONEachRow\n${lines.join('\n')}`,
  )
}

/**
 * Deletes rows. While merges are stopped, a deletion would never end, so this function starts the merges and stops them again afterwards.
 */
export async function deleteRows(store: ColumnStore, table: string, where: string): Promise<void> {
  await store.command(`SYSTEM START MERGES ${store.database}.${table}`)
  await store.command(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 2`)
  await store.command(`SYSTEM STOP MERGES ${store.database}.${table}`)
}

const decimal = (micros: number) => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`
