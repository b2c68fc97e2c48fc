import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { columnStoreMigrations } from '../src/migrations/list.ts'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import type { ColumnStorePort, MigrationStep } from '../src/migrations/port.ts'
import { type Engine, openEngine } from './engine.ts'

let engine: Engine
let database: string
let number = 0

beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine.close())
beforeEach(async () => {
  database = `migrations_${number++}`
  await engine.command(`CREATE DATABASE ${database}`)
})

const migrate = (more: { target?: number; onProgress?: (step: MigrationStep) => void } = {}, port: ColumnStorePort = engine) =>
  migrateColumnStore(port, { database, clustered: false, ...more })

const tables = async () => {
  const rows = await engine.query<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`)
  return rows.map(row => row.name)
}

const everything = ['events_core', 'events_core_mv', 'events_full', 'ingest_audit', 'ingest_ledger', 'schema_migrations']

test('up, down to the last version of v3, up again', async () => {
  const told: MigrationStep[] = []
  const up = await migrate({ onProgress: step => told.push(step) })
  expect(up.map(s => `${s.direction} ${s.version}`)).toEqual(['up 39', 'up 40', 'up 41', 'up 47', 'up 48', 'up 49'])
  expect(told).toEqual(up)
  expect(await tables()).toEqual(everything)

  const down = await migrate({ target: 37 })
  expect(down.map(s => `${s.direction} ${s.version}`)).toEqual(['down 49', 'down 48', 'down 47', 'down 41', 'down 40', 'down 39'])
  expect(await tables()).toEqual(['schema_migrations'])

  expect(await migrate()).toHaveLength(6)
  expect(await tables()).toEqual(everything)
})

test('a ledger of before keeps its rows, and has one row a chunk and destination from then on; on the way down it stays usable', async () => {
  const entry = (columns: string, values: string) =>
    engine.command(`INSERT INTO ${database}.ingest_ledger (log_id, topic, first_offset, ${columns}) VALUES ('log', 'topic', 7, ${values})`)
  const rows = () => engine.query(`SELECT destination, spans FROM ${database}.ingest_ledger FINAL ORDER BY destination`)
  await migrate({ target: 48 })
  await entry('spans', '1')
  await migrate()
  expect(await rows()).toEqual([{ destination: '', spans: 1 }])
  await entry('spans', '2')
  await entry('spans, destination', "3, 'a_table'")
  const after = [
    { destination: '', spans: 2 },
    { destination: 'a_table', spans: 3 },
  ]
  expect(await rows()).toEqual(after)
  await migrate({ target: 48 })
  expect(await rows()).toEqual(after)
  expect(await migrate()).toHaveLength(1)
  expect(await rows()).toEqual(after)
})

test('a second run does nothing, and keeps the rows', async () => {
  await migrate()
  await engine.command(`INSERT INTO ${database}.events_full (project_id) VALUES ('p')`)
  expect(await migrate()).toEqual([])
  expect(await engine.query(`SELECT project_id FROM ${database}.events_core`)).toEqual([{ project_id: 'p' }])
})

test('a target between two migrations stops there, and goes on from there', async () => {
  expect(await migrate({ target: 40 })).toHaveLength(2)
  expect(await tables()).toEqual(['events_core', 'events_full', 'schema_migrations'])
  expect(await migrate()).toHaveLength(4)
  expect(await migrate({ target: 45 })).toEqual([
    { version: 49, name: 'ingest_ledger_destination', direction: 'down' },
    { version: 48, name: 'ingest_audit', direction: 'down' },
    { version: 47, name: 'ingest_ledger', direction: 'down' },
  ])
})

/** Ends like a process that is killed before its n-th command. */
const dyingPort = (n: number): ColumnStorePort => {
  let left = n
  return {
    query: engine.query,
    command: async sql => {
      if (left-- === 0) throw new Error('killed')
      return engine.command(sql)
    },
  }
}

test('a crash before any statement, up or down, is healed by the next run', async () => {
  // The version table, then three commands a migration.
  const commands = 1 + 3 * columnStoreMigrations.length
  for (let n = 0; n < commands; n++) {
    await expect(migrate({}, dyingPort(n))).rejects.toThrow('killed')
    await migrate()
    expect(await tables()).toEqual(everything)

    // The table is there already, so the way down has one command less.
    if (n < commands - 1) await expect(migrate({ target: 37 }, dyingPort(n))).rejects.toThrow('killed')
    await migrate({ target: 37 })
    expect(await tables()).toEqual(['schema_migrations'])
    await engine.command(`DROP TABLE ${database}.schema_migrations SYNC`)
  }
})

test('several processes may migrate at once', async () => {
  await Promise.all([migrate(), migrate(), migrate()])
  expect(await tables()).toEqual(everything)
  expect(await migrate()).toEqual([])
})

test('a failing statement names its migration and is the cause', async () => {
  await engine.command(`CREATE TABLE ${database}.events_core (x UInt8) ENGINE = Memory`)
  await expect(migrate()).rejects.toMatchObject({
    name: 'MigrationError',
    reason: 'statement_failed',
    message: expect.stringContaining('Migration 41 (events_core_mv, up) failed'),
    cause: expect.any(Error),
  })
  await engine.command(`DROP TABLE ${database}.events_core`)
})

test('a database of a newer release is left alone', async () => {
  await migrate()
  await engine.command(
    `INSERT INTO ${database}.schema_migrations (version, name, checksum, state, at) VALUES (99, 'later', 'c', 'applied', now64(6))`,
  )
  await expect(migrate()).rejects.toMatchObject({ reason: 'newer_schema', message: expect.stringContaining('at version 99') })
  await expect(migrate({ target: 37 })).rejects.toMatchObject({ reason: 'newer_schema' })
  expect(await tables()).toEqual(everything)

  await engine.command(
    `INSERT INTO ${database}.schema_migrations (version, name, checksum, state, at) VALUES (99, 'later', 'c', 'reverted', now64(6))`,
  )
  expect(await migrate()).toEqual([])
})

test('an applied migration whose text changed is refused', async () => {
  await migrate()
  await engine.command(
    `INSERT INTO ${database}.schema_migrations (version, name, checksum, state, at) VALUES (40, 'events_core', 'other', 'applied', now64(6))`,
  )
  await expect(migrate()).rejects.toMatchObject({ reason: 'changed_migration', message: expect.stringContaining('Migration 40') })
})

test("another tool's version table is not touched", async () => {
  await engine.command(`CREATE TABLE ${database}.schema_migrations (version Int64, dirty UInt8, sequence UInt64) ENGINE = TinyLog`)
  await expect(migrate()).rejects.toMatchObject({ reason: 'foreign_table' })
})

test.each([36, 50, 39.5, Number.NaN])('target %d is refused', async target => {
  await expect(migrate({ target })).rejects.toMatchObject({ reason: 'unknown_target' })
})

test.each(['', 'a b', '`', "x'", '1a'])('database name %j is refused', async name => {
  await expect(migrateColumnStore(engine, { database: name, clustered: false })).rejects.toThrow(TypeError)
})
