import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import { type Engine, openEngine } from './engine.ts'
import { makeFormerStore, makeV3Store, toolTable, toolVersion, v3Rows } from './stores.ts'

let engine: Engine
let database: string
let number = 0

beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine.close())
beforeEach(async () => {
  database = `takeover_${number++}`
  await engine.command(`CREATE DATABASE ${database}`)
})

const migrate = (more: { target?: number } = {}) => migrateColumnStore(engine, { database, clustered: false, ...more })
const told = async (steps: ReturnType<typeof migrate>) => (await steps).map(s => `${s.list} ${s.direction} ${s.version}`)
const command = (sql: string) => engine.command(sql.replaceAll('DB', database))
const query = (sql: string) => engine.query(sql.replaceAll('DB', database))

/** Returns the version that v3's migration tool reads. */
const toolSays = async () => (await query('SELECT version, dirty FROM DB.schema_migrations ORDER BY sequence DESC LIMIT 1'))[0]
const tables = async () =>
  (await engine.query<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${database}'`)).map(row => row.name)

const toNewest = [
  'shared up 38',
  'shared up 39',
  'shared up 40',
  'shared up 41',
  'shared up 42',
  'shared up 43',
  'shared up 44',
  'shared up 45',
  'shared up 46',
]
const ownUp = ['own up 1', 'own up 2', 'own up 3', 'own up 4', 'own up 5', 'own up 6', 'own up 7']

describe('a store of v3', () => {
  test.each(['MergeTree ORDER BY sequence', 'TinyLog', 'Log'])(
    'migrates to 46 with its rows and the tool’s version table, and back to v3’s schema at 37: %s',
    async toolEngine => {
      await makeV3Store(engine, database, toolEngine)
      const before = await v3Rows(engine, database)
      const engineOf = () => query("SELECT engine_full FROM system.tables WHERE database = 'DB' AND name = 'schema_migrations'")
      const madeBy = await engineOf()

      expect(await told(migrate())).toEqual([...toNewest, ...ownUp])
      expect(await v3Rows(engine, database)).toEqual(before)
      expect(await toolSays()).toEqual({ version: 46, dirty: 0 })
      for (const gone of ['event_log', 'project_environments', 'dataset_run_items']) expect(await tables()).not.toContain(gone)

      await command(
        "INSERT INTO DB.traces (id, project_id, name, timestamp, event_ts) VALUES ('of dual', 'p', 'new', '2026-04-01 00:00:00', '2026-04-01 00:00:00')",
      )
      expect(await told(migrate({ target: 37 }))).toEqual([
        'own down 7',
        'own down 6',
        ...[...toNewest].reverse().map(step => step.replace('up', 'down')),
      ])
      expect(await toolSays()).toEqual({ version: 37, dirty: 0 })
      expect(await engineOf()).toEqual(madeBy)
      const after = await v3Rows(engine, database)
      expect(after).toEqual({ ...before, traces: [...before.traces, expect.objectContaining({ id: 'of dual' })] })
      expect(await query('SELECT count() AS n FROM DB.event_log')).toEqual([{ n: 0 }])
      await command(toolVersion('DB', 38))
    },
  )

  test('has tables that recognize a retry of an insert by its token, like ours', async () => {
    await makeV3Store(engine, database)
    await migrate()
    const insert =
      "INSERT INTO DB.scores (id, project_id, timestamp) SETTINGS insert_deduplication_token = 'T', async_insert = 0 VALUES ('r', 'retry', '2026-04-01 00:00:00')"
    for (let i = 0; i < 2; i++) await command(insert)
    expect(await query("SELECT count() AS n FROM DB.scores WHERE project_id = 'retry'")).toEqual([{ n: 1 }])
  })

  test('below v3’s last version must first be migrated to that version', async () => {
    await command(toolTable('DB'))
    await command(toolVersion('DB', 35))
    await expect(migrate()).rejects.toMatchObject({ reason: 'older_schema', message: expect.stringContaining('at version 35') })
    expect(await tables()).toEqual(['schema_migrations'])
  })

  test.each([37, 41])(
    'whose migration tool was interrupted at %d is refused with a remedy, and accepted after the remedy is applied',
    async dirtyAt => {
      await makeV3Store(engine, database)
      await command(toolVersion('DB', dirtyAt + 1).replace(`VALUES (${dirtyAt + 1}, 0`, `VALUES (${dirtyAt}, 1`))
      const before = await tables()
      const refused = migrate()
      await expect(refused).rejects.toMatchObject({
        reason: 'dirty_schema',
        message: expect.stringContaining(`dirty at version ${dirtyAt}`),
      })
      expect(await tables()).toEqual(before)
      const remedy = await refused.catch((error: Error) => /INSERT INTO .*\)\)/.exec(error.message)![0])
      await engine.command(String(remedy).replace('(VERSION,', '(37,'))
      await migrate()
      expect(await toolSays()).toEqual({ version: 46, dirty: 0 })
    },
  )

  test('of an unknown version stays unchanged', async () => {
    await makeV3Store(engine, database)
    await command(toolVersion('DB', 47))
    await expect(migrate()).rejects.toMatchObject({ reason: 'newer_schema', message: expect.stringContaining('at version 47') })
  })

  test('that lacks objects of its last version is refused without any change', async () => {
    await makeV3Store(engine, database)
    await command('ALTER TABLE DB.scores DROP COLUMN long_string_value')
    const before = await tables()
    await expect(migrate()).rejects.toMatchObject({ reason: 'other_shape', message: expect.stringContaining('long_string_value String') })
    expect(await tables()).toEqual(before)
  })
})

describe('a preview of v4 on v3', () => {
  const minute = 'ORDER BY (project_id, toStartOfMinute(start_time), xxHash32(trace_id), span_id, start_time)'
  /** Creates the table of a preview release. This table has a different key and no column for types. */
  const preview = async () => {
    await makeV3Store(engine, database)
    await migrate({ target: 39 })
    await command('CREATE TABLE DB.theirs AS DB.events_full')
    await command('ALTER TABLE DB.theirs DROP COLUMN metadata_types')
    const [shown] = await engine.query<{ statement: string }>(`SHOW CREATE TABLE ${database}.theirs`)
    const statement = shown!.statement
      .replace(/ORDER BY \(.*\)/, minute)
      .replace('.theirs', '.preview')
      .replace(/\n\s+INDEX [^\n]*/g, '')
    await migrate({ target: 37 })
    await engine.command('DROP TABLE DB.theirs'.replace('DB', database))
    await engine.command(statement.replace(/,\s*\n\)/, '\n)').replace('.preview', '.events_full'))
    await command(
      "INSERT INTO DB.events_full (project_id, span_id, start_time, name) VALUES ('p', 's', '2026-04-05 10:00:00.123456', 'preview row')",
    )
  }

  test('with another sorting key is refused with the statements that copy it, and they work', async () => {
    await preview()
    const refused = migrate()
    await expect(refused).rejects.toMatchObject({ reason: 'other_shape', message: expect.stringContaining('toStartOfMinute(start_time)') })
    expect(await toolSays()).toEqual({ version: 37, dirty: 0 })

    const message = await refused.catch((error: Error) => error.message)
    const statements = String(message).split(/; |: with nothing writing to it, /)
    const starting = (text: string) => statements.find(statement => statement.startsWith(text))!.replace('<month>', '202604')
    for (const statement of ['DROP VIEW', 'DROP TABLE', 'RENAME TABLE']) await engine.command(starting(statement))
    await migrate()
    await engine.command(starting('then month by month').replace('then month by month ', ''))
    for (const table of ['events_full', 'events_core']) {
      expect(await query(`SELECT name, toString(start_time) AS at FROM DB.${table}`)).toEqual([
        { name: 'preview row', at: '2026-04-05 10:00:00.123456' },
      ])
    }
  })

  test('with our key is kept', async () => {
    await makeV3Store(engine, database)
    await migrate({ target: 40 })
    await command("INSERT INTO DB.events_full (project_id, name) VALUES ('p', 'kept')")
    await command(toolVersion('DB', 37).replace(/\d+\)$/, 'toUnixTimestamp64Nano(now64(9)))'))
    expect(await told(migrate())).toEqual(toNewest)
    expect(await query('SELECT name FROM DB.events_full')).toEqual([{ name: 'kept' }])
  })
})

describe('an instance of one of our former releases', () => {
  const rows = async () => ({
    events: await query('SELECT project_id, input FROM DB.events_full'),
    ledger: await query('SELECT destination, spans FROM DB.ingest_ledger FINAL'),
    audit: await query('SELECT next_offset FROM DB.ingest_audit FINAL'),
  })

  test('keeps every row, and its applied migrations do not run again', async () => {
    await makeFormerStore(engine, database)
    const before = await rows()
    const recorded = await query('SELECT version AS number, name, checksum, state FROM DB.schema_migrations FINAL ORDER BY version')
    expect(await told(migrate())).toEqual([
      'shared up 37',
      'shared up 38',
      'shared up 39',
      'shared up 40',
      'shared up 41',
      ...toNewest.slice(4),
      'own up 4',
      'own up 5',
      'own up 6',
      'own up 7',
    ])
    expect(await rows()).toEqual(before)
    expect(await toolSays()).toEqual({ version: 46, dirty: 0 })
    expect(await migrate()).toEqual([])
    const former = "if(list = 'own', version + 46, version)"
    const moved = `(list = 'own' AND version < 4 OR list = 'shared' AND version BETWEEN 39 AND 41)`
    const records = await query(
      `SELECT ${former} AS number, name, checksum, state FROM DB.svc_migrations FINAL WHERE ${moved} ORDER BY number`,
    )
    expect(records).toEqual(recorded)
  })

  test('that stopped between two releases gets the remaining migrations', async () => {
    await makeFormerStore(engine, database, 47)
    expect((await told(migrate())).slice(-6)).toEqual(['own up 2', 'own up 3', 'own up 4', 'own up 5', 'own up 6', 'own up 7'])
    expect(await query('SELECT count() AS n FROM DB.ingest_audit')).toEqual([{ n: 0 }])
  })

  test('can be migrated to v3’s schema', async () => {
    await makeFormerStore(engine, database)
    await migrate({ target: 37 })
    expect(await toolSays()).toEqual({ version: 37, dirty: 0 })
    expect(await tables()).toContain('traces')
    expect(await tables()).not.toContain('events_full')
  })

  test('with an unknown number stays unchanged', async () => {
    await makeFormerStore(engine, database)
    await command("INSERT INTO DB.schema_migrations VALUES (50, 'later', 'c', 'applied', now64(6))")
    await expect(migrate()).rejects.toMatchObject({ reason: 'newer_schema', message: expect.stringContaining('at version 50') })
  })

  test('whose migration text differs is refused before any change', async () => {
    await makeFormerStore(engine, database)
    await command("INSERT INTO DB.schema_migrations VALUES (40, 'events_core', 'other', 'applied', now64(6))")
    await expect(migrate()).rejects.toMatchObject({ reason: 'changed_migration' })
    expect(await tables()).not.toContain('svc_migrations')
  })
})

test('a version table of an unknown tool is not changed', async () => {
  await command('CREATE TABLE DB.schema_migrations (id Int64, applied_at DateTime) ENGINE = TinyLog')
  await expect(migrate()).rejects.toMatchObject({ reason: 'foreign_table' })
})
