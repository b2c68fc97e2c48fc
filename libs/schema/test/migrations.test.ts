import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newestOf } from '../src/migrations/list.ts'
import { migrateColumnStore, planMigration } from '../src/migrations/migrate.ts'
import type { ColumnStorePort, MigrationStep } from '../src/migrations/port.ts'
import { crashAnywhere, journeys } from './crashes.ts'
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

type Options = { target?: number; ownTarget?: number; onProgress?: (step: MigrationStep) => void }
const migrate = (more: Options = {}, port: ColumnStorePort = engine) => migrateColumnStore(port, { database, clustered: false, ...more })

const told = (steps: readonly MigrationStep[]) => steps.map(s => `${s.list === 'own' ? 'own ' : ''}${s.direction} ${s.version}`)

const tables = async () => {
  const rows = await engine.query<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`)
  return rows.map(row => row.name)
}

const version = async () => {
  const rows = await engine.query(`SELECT version, dirty FROM ${database}.schema_migrations ORDER BY sequence DESC LIMIT 1`)
  return rows[0]
}

const mergeBase = async () => {
  const [row] = await engine.query<{ base: string }>(
    `SELECT extract(engine_full, 'merge_selector_base = (\\d+)') AS base FROM system.tables WHERE database = '${database}' AND name = 'events_full'`,
  )
  return row!.base
}

const views = ['analytics_observations', 'analytics_scores', 'analytics_traces']
const kept = ['blob_storage_file_log', 'dataset_run_items_rmt', 'observations', 'scores', 'traces']
const dropped = ['dataset_run_items', 'event_log', 'project_environments']
const own = ['ingest_audit', 'ingest_ledger', 'sdk_usage']
const records = ['schema_migrations', 'svc_migrations']
const events = ['events_core', 'events_core_mv', 'events_full', 'observations_batch_staging']

const everything = [...views, ...kept, ...own, ...records, ...events].sort()
const ofV3 = [...views, ...kept, ...dropped, ...records].sort()

const allUp = ['up 37', 'up 38', 'up 39', 'up 40', 'up 41', 'up 42', 'up 43', 'up 44', 'up 45', 'up 46']
const ownUp = ['own up 1', 'own up 2', 'own up 3', 'own up 4', 'own up 5', 'own up 6', 'own up 7']
const allDown = allUp
  .slice(1)
  .map(step => step.replace('up', 'down'))
  .reverse()

test('migrates up, down to the last version of v3, and up again', async () => {
  const progress: MigrationStep[] = []
  const up = await migrate({ onProgress: step => progress.push(step) })
  expect(told(up)).toEqual([...allUp, ...ownUp])
  expect(progress).toEqual(up)
  expect(await tables()).toEqual(everything)
  expect(await version()).toEqual({ version: 46, dirty: 0 })

  expect(told(await migrate({ target: 37 }))).toEqual(['own down 7', 'own down 6', ...allDown])
  expect(await tables()).toEqual([...ofV3, ...own].sort())
  expect(await version()).toEqual({ version: 37, dirty: 0 })

  expect(told(await migrate())).toEqual([...allUp.slice(1), 'own up 6', 'own up 7'])
  expect(await mergeBase()).toBe('40')
  expect(await tables()).toEqual(everything)
})

test('our changes to shared tables run once those tables exist, and can be reverted alone', async () => {
  await migrate({ target: 38 })
  expect(told(await migrate({ target: 44 }))).toEqual([...allUp.slice(2, 8), 'own up 6', 'own up 7'])
  expect(told(await migrate({ target: 44, ownTarget: 5 }))).toEqual(['own down 7', 'own down 6'])
  expect(await mergeBase()).toBe('10')
})

test('our own tables are reverted by their own target', async () => {
  await migrate()
  expect(told(await migrate({ ownTarget: 0 }))).toEqual([
    'own down 7',
    'own down 6',
    'own down 5',
    'own down 4',
    'own down 3',
    'own down 2',
    'own down 1',
  ])
  expect(await tables()).toEqual(everything.filter(name => !own.includes(name)))
  expect(told(await migrate({ target: 37, ownTarget: 1 }))).toEqual([...allDown, 'own up 1'])
})

test('an older ledger keeps its rows, gets one row per chunk and destination, and stays usable after migrating down', async () => {
  const entry = (columns: string, values: string) =>
    engine.command(`INSERT INTO ${database}.ingest_ledger (log_id, topic, first_offset, ${columns}) VALUES ('log', 'topic', 7, ${values})`)
  const rows = () => engine.query(`SELECT destination, spans FROM ${database}.ingest_ledger FINAL ORDER BY destination`)
  await migrate({ ownTarget: 2 })
  await entry('spans', '1')
  await migrate({ ownTarget: 3 })
  expect(await rows()).toEqual([{ destination: '', spans: 1 }])
  await entry('spans', '2')
  await entry('spans, destination', "3, 'a_table'")
  const after = [
    { destination: '', spans: 2 },
    { destination: 'a_table', spans: 3 },
  ]
  expect(await rows()).toEqual(after)
  await migrate({ ownTarget: 2 })
  expect(await rows()).toEqual(after)
  expect(await migrate({ ownTarget: 3 })).toHaveLength(1)
  expect(await rows()).toEqual(after)
})

test('a second run changes nothing and keeps the rows', async () => {
  await migrate()
  await engine.command(`INSERT INTO ${database}.events_full (project_id) VALUES ('p')`)
  expect(await migrate()).toEqual([])
  expect(await engine.query(`SELECT project_id FROM ${database}.events_core`)).toEqual([{ project_id: 'p' }])
})

test('a run stops at its target, and a later run continues from there', async () => {
  expect(told(await migrate({ target: 40, ownTarget: 0 }))).toEqual(allUp.slice(0, 4))
  expect(await version()).toEqual({ version: 40, dirty: 0 })
  expect(told(await migrate())).toEqual([...allUp.slice(4), ...ownUp])
  expect(told(await migrate({ target: 44 }))).toEqual(['down 46', 'down 45'])
  expect(await tables()).toEqual([...everything, 'dataset_run_items', 'project_environments'].sort())
})

test('a plan changes nothing and lists what a run then does', async () => {
  const before = await tables()
  const plan = await planMigration(engine, { database, clustered: false })
  expect(await tables()).toEqual(before)
  const steps = await migrate()
  expect(
    plan.steps.map(({ list, migration, direction }) => ({ list, version: migration.version, name: migration.name, direction })),
  ).toEqual(steps)
})

// A journey migrates a store from one state to another state. This test uses every third journey, and chooses some statements of each of
// these journeys. For each chosen statement, the test starts one run, and kills this run before it executes the statement. The nightly test
// uses every journey, and does the same for each statement of the journey.
test.each(journeys.filter((_, at) => at % 3 === 0))(
  'the next run completes a run that crashed before any statement: %s',
  name => crashAnywhere(engine, name, 97, 40),
  120_000,
)

test('several processes may migrate at the same time', async () => {
  await Promise.all([migrate(), migrate(), migrate()])
  expect(await tables()).toEqual(everything)
  expect(await migrate()).toEqual([])
})

test('the error of a failing statement names the migration and has the original error as its cause', async () => {
  const failing: ColumnStorePort = {
    ...engine,
    command: sql => (/ALTER .*staging/.test(sql) ? Promise.reject(new Error('no')) : engine.command(sql)),
  }
  await expect(migrate({}, failing)).rejects.toMatchObject({
    name: 'MigrationError',
    reason: 'statement_failed',
    message: 'Migration 42 (staging_attribution, up) failed: no',
    cause: expect.any(Error),
  })
  // After the failure, v3's tool reads a dirty version. Our next run recognizes that one of our earlier runs left the migration unfinished.
  expect(await version()).toEqual({ version: 46, dirty: 1 })
  await expect(migrate({}, failing)).rejects.toMatchObject({ reason: 'statement_failed' })
  expect(await version()).toEqual({ version: 42, dirty: 1 })
  expect(told(await migrate())[0]).toBe('up 42')
  expect(await tables()).toEqual(everything)
})

test.each([
  ['shared', 'INSERT INTO schema_migrations VALUES (99, 0, 9e18)', 'at version 99'],
  ['own', "INSERT INTO svc_migrations VALUES ('own', 99, 'later', 'c', 'applied', now64(6))", 'at own version 99'],
])('a database of a newer release stays unchanged: %s list', async (_, insert, message) => {
  await migrate()
  await engine.command(insert.replace('INTO ', `INTO ${database}.`))
  await expect(migrate()).rejects.toMatchObject({ reason: 'newer_schema', message: expect.stringContaining(message) })
  await expect(migrate({ target: 37 })).rejects.toMatchObject({ reason: 'newer_schema' })
  expect(await tables()).toEqual(everything)
})

test('a migration that a newer release has reverted does not prevent a run', async () => {
  await migrate()
  await engine.command(`INSERT INTO ${database}.svc_migrations VALUES ('own', 99, 'later', 'c', 'reverted', now64(6))`)
  expect(await migrate()).toEqual([])
})

test.each([
  ['shared', 40],
  ['own', 2],
])('an applied migration whose text changed is refused: %s %d', async (list, changed) => {
  await migrate()
  await engine.command(`INSERT INTO ${database}.svc_migrations VALUES ('${list}', ${changed}, 'x', 'other', 'applied', now64(6))`)
  await expect(migrate()).rejects.toMatchObject({ reason: 'changed_migration', message: expect.stringContaining(`Migration ${changed}`) })
})

test.each([36, 47, 39.5, Number.NaN])('target %d is refused', async target => {
  await expect(migrate({ target })).rejects.toMatchObject({ reason: 'unknown_target' })
})

test.each([-1, newestOf('own') + 1, 1.5, Number.NaN])('own target %d is refused', async ownTarget => {
  await expect(migrate({ ownTarget })).rejects.toMatchObject({ reason: 'unknown_target' })
})

test.each(['', 'a b', '`', "x'", '1a'])('database name %j is refused', async name => {
  await expect(migrateColumnStore(engine, { database: name, clustered: false })).rejects.toThrow(TypeError)
})
