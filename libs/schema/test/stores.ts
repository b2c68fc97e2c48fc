// Creates column stores of v3 and of our former releases. v3's store has the table in which v3's migration tool records its migrations. Our
// former releases had a single list of migrations. Current releases have two lists: `sharedMigrations` and `ownMigrations`.
import { createHash } from 'node:crypto'
import { createIngestAudit } from '../src/audit-table.ts'
import { createDialect } from '../src/dialect.ts'
import { createEventsCore, createEventsCoreView, createEventsFull } from '../src/events/ddl.ts'
import { addLedgerDestination, createIngestLedger } from '../src/ledger-table.ts'
import { createV3Schema } from '../src/old-tables/ddl.ts'
import type { Engine } from './engine.ts'

/** Creates the table of v3's migration tool. `engine` is v3's engine or the default engine of the tool. */
export const toolTable = (database: string, engine = 'MergeTree ORDER BY sequence') =>
  `CREATE TABLE ${database}.schema_migrations (version Int64, dirty UInt8, sequence UInt64) ENGINE = ${engine}`

export const toolVersion = (database: string, version: number, dirty: 0 | 1 = 0) =>
  `INSERT INTO ${database}.schema_migrations (version, dirty, sequence) VALUES (${version}, ${dirty}, ${10n ** 18n + BigInt(version * 10 - dirty)})`

/** Creates a store with the tables of v3's last version, and inserts some rows. */
export async function makeV3Store(engine: Engine, database: string, toolEngine?: string): Promise<void> {
  for (const statement of createV3Schema(createDialect({ database, clustered: false }))) await engine.command(statement)
  await engine.command(toolTable(database, toolEngine))
  for (const version of [36, 37]) for (const dirty of [1, 0] as const) await engine.command(toolVersion(database, version, dirty))
  const at = "toDateTime64('2026-03-01 10:00:00.123', 3)"
  await engine.command(
    `INSERT INTO ${database}.traces (id, project_id, name, timestamp, user_id, event_ts) VALUES ('t', 'p', 'chat', ${at}, 'u', ${at})`,
  )
  await engine.command(
    `INSERT INTO ${database}.observations (id, trace_id, project_id, type, name, start_time, event_ts, usage_details, total_cost)
     VALUES ('o', 't', 'p', 'GENERATION', 'call', ${at}, ${at}, map('input', 3), 0.25)`,
  )
  await engine.command(
    `INSERT INTO ${database}.scores (id, project_id, name, timestamp, trace_id, value, source, data_type, event_ts)
     VALUES ('s', 'p', 'good', ${at}, 't', 1, 'API', 'NUMERIC', ${at})`,
  )
  await engine.command(
    `INSERT INTO ${database}.dataset_run_items_rmt (id, project_id, dataset_run_id, dataset_item_id, dataset_id, trace_id, dataset_run_name, event_ts)
     VALUES ('i', 'p', 'r', 'di', 'd', 't', 'run', ${at})`,
  )
  await engine.command(`INSERT INTO ${database}.event_log (id, project_id, entity_type, entity_id) VALUES ('e', 'p', 'trace', 't')`)
}

export const v3Rows = async (engine: Engine, database: string) => ({
  traces: await engine.query(
    `SELECT id, name, user_id, environment, toString(timestamp) AS at FROM ${database}.traces FINAL ORDER BY timestamp`,
  ),
  observations: await engine.query(`SELECT id, usage_details, total_cost, tool_calls FROM ${database}.observations FINAL`),
  scores: await engine.query(`SELECT id, value, ingestion_sdk_name FROM ${database}.scores FINAL`),
  runItems: await engine.query(`SELECT id, dataset_run_name, dataset_item_version FROM ${database}.dataset_run_items_rmt FINAL`),
})

const formerList = [
  [39, 'events_full', createEventsFull],
  [40, 'events_core', createEventsCore],
  [41, 'events_core_mv', createEventsCoreView],
  [47, 'ingest_ledger', createIngestLedger],
  [48, 'ingest_audit', createIngestAudit],
  [49, 'ingest_ledger_destination', addLedgerDestination],
] as const

/** Creates a store of a former release. Each table has a row. */
export async function makeFormerStore(engine: Engine, database: string, upTo = 49): Promise<void> {
  await engine.command(
    `CREATE TABLE ${database}.schema_migrations (version UInt32, name String, checksum String, state LowCardinality(String), at DateTime64(6, 'UTC'))
     ENGINE = ReplacingMergeTree(at) ORDER BY version`,
  )
  const neutral = createDialect({ database: 'checksum', clustered: false })
  for (const [version, name, create] of formerList.filter(([version]) => version <= upTo)) {
    await engine.command(create(createDialect({ database, clustered: false })))
    const checksum = createHash('sha256').update(create(neutral)).digest('hex').slice(0, 16)
    for (const state of ['applying', 'applied']) {
      await engine.command(`INSERT INTO ${database}.schema_migrations VALUES (${version}, '${name}', '${checksum}', '${state}', now64(6))`)
    }
  }
  await engine.command(`INSERT INTO ${database}.events_full (project_id, input) VALUES ('p', 'hello')`)
  if (upTo >= 49) {
    await engine.command(`INSERT INTO ${database}.ingest_ledger (log_id, topic, destination, spans) VALUES ('log', 'topic', 'a_table', 3)`)
    await engine.command(`INSERT INTO ${database}.ingest_audit (log_id, topic, next_offset) VALUES ('log', 'topic', 7)`)
  }
}
