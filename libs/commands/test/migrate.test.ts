import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { CommandContext, SchemaMigrations } from '../src/command.ts'
import { runCommand } from '../src/run.ts'
import { database, eachTestHasADatabase, log } from './empty-stores.ts'
import { relational, theFileHasARelationalStore } from './relational.ts'

let store: ColumnStore
let writeMode: WriteMode

eachTestHasADatabase('migrate', ['svc.writer', 'svc.merger', 'svc.deletions'])

theFileHasARelationalStore()

let relationalPending: string[]
let locked: number
beforeEach(() => {
  store = database
  writeMode = 'dual'
  relationalPending = ['0001-keys']
  locked = 0
})

const migrations = (): SchemaMigrations => ({
  columnStore: store,
  placement: { database: store.database, clustered: false, clusterName: 'default' },
  relational: {
    pending: async () => relationalPending,
    apply: async ({ giveUpUnfinished }) => {
      if (relationalPending.includes('unfinished') && giveUpUnfinished !== true)
        throw new AppError('migration_failed', 'Not finished: copy.')
      return relationalPending.splice(0)
    },
  },
  exclusive: work => {
    locked++
    return work()
  },
})

async function svc(...argv: string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const unused = () => Promise.reject(new Error('not part of this test'))
  const context: CommandContext = {
    keys: unused,
    relational: async () => relational,
    columnStore: unused,
    log: async () => log,
    migrations: async () => migrations(),
    writeMode,
    servicesRunning: false,
    print: line => lines.push(line),
  }
  const code = await runCommand(['migrate', ...argv], context, line => errors.push(line))
  return { code, out: lines.join('\n'), error: errors.join('\n') }
}

const tables = async () =>
  (await store.query<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${store.database}'`)).map(row => row.name)

test('status shows the versions of both stores, a dry run shows the steps, and neither changes anything', async () => {
  expect(await svc('status')).toEqual({
    code: 0,
    error: '',
    out: 'column store      version none of 46, own 0 of 7: 17 steps to apply\nrelational store  lacks 0001-keys',
  })
  const { out } = await svc('up', '--dry-run')
  expect(out).toContain('-- relational up 0001-keys\n-- shared up 37 v3\nCREATE TABLE IF NOT EXISTS')
  expect(out).toContain('17 steps; nothing was changed.')
  expect(await tables()).toEqual([])
  expect(relationalPending).toEqual(['0001-keys'])
  expect(locked).toBe(0)
})

test('up migrates both stores to this version under the lock of the services; afterwards nothing is pending', async () => {
  const up = await svc('up')
  expect(up).toMatchObject({ code: 0, error: '' })
  expect(up.out.split('\n')).toEqual([
    'relational up 0001-keys',
    'shared up 37 v3',
    ...[38, 39, 40, 41, 42, 43, 44, 45, 46].map(version => expect.stringMatching(new RegExp(`^shared up ${version} `))),
    ...[1, 2, 3, 4, 5, 6, 7].map(version => expect.stringMatching(new RegExp(`^own up ${version} `))),
    'The column store is at version 46 of the migration list “shared” and at version 7 of the migration list “own”.',
  ])
  expect(locked).toBe(1)
  expect((await svc('status')).out).toBe('column store      version 46 of 46, own 7 of 7: nothing to do\nrelational store  nothing to do')
})

test('down to 37 needs --yes, and consumers that have read everything or --force', async () => {
  await svc('up')
  await log.append(topicNames.direct, [{ partition: 0, key: null, value: Buffer.from('x') }])
  await log.append(topicNames.commands, [{ partition: 0, key: Buffer.from('k'), value: Buffer.from('x') }])
  await log.append(topicNames.sdkUsage, [{ partition: 0, key: null, value: Buffer.from('x') }])
  expect(await svc('down', '--to', '37')).toMatchObject({ code: 2, error: expect.stringContaining('Add --yes') })
  const behind = await svc('down', '--to', '37', '--yes')
  expect(behind).toMatchObject({ code: 1, error: expect.stringMatching(/svc\.writer on spans\.direct \(1 record\).*--force/s) })
  expect(behind.error).toContain('svc.merger on spans.direct (1 record)')
  // The migration back to v3 requires that all deletions are applied, because v3 would show the data that a pending deletion must delete.
  expect(behind.error).toContain('svc.deletions on commands (1 record)')
  // The writer fills the table `sdk_usage` from the topic `sdk.usage`. The migration keeps this table, so unread records of the topic do
  // not stop the migration.
  expect(behind.error).not.toContain('sdk.usage')
  expect(await tables()).toContain('events_full')

  expect((await svc('down', '--to', '37', '--dry-run')).out).toContain('DROP TABLE IF EXISTS')
  expect(await tables()).toContain('events_full')
  const finished = async () =>
    (await sql<{ steps: string }>`select count(finished_at) as steps from background_migrations`.execute(relational.db)).rows[0]!.steps
  await sql`update background_migrations set finished_at = now(), state = '{"phase": 9, "done": []}'`.execute(relational.db)
  const projectId = 'p'
  await relational.db.insertInto('organizations').values({ id: 'org', name: 'org' }).execute()
  await relational.db.insertInto('projects').values({ id: projectId, org_id: 'org', name: 'p' }).execute()
  await store.command(
    `INSERT INTO traces (id, project_id, timestamp, session_id, environment, is_deleted, event_ts, created_at) VALUES
       ('t1', '${projectId}', now(), 'kept', 'late', 0, now(), '2026-11-02 00:00:00'),
       ('t2', '${projectId}', now(), 'kept', 'early', 0, now(), '2026-11-01 00:00:00'), ('t3', '${projectId}', now(), NULL, '', 0, now(), now()),
       ('t4', '${projectId}', now(), 'gone', '', 1, now(), now()), ('t5', 'no-project', now(), 'foreign', '', 0, now(), now())`,
  )
  const forced = await svc('down', '--to', '37', '--yes', '--force')
  expect(forced).toMatchObject({
    code: 0,
    out: expect.stringContaining('is at version 37 of the migration list “shared” and at version 5 of the migration list “own”.'),
  })
  expect(forced.out).toContain('relational: 1 session added to trace_sessions')
  const sessions = await sql`select id, project_id, environment, created_at from trace_sessions`.execute(relational.db)
  expect(sessions.rows).toEqual([{ id: 'kept', project_id: projectId, environment: 'early', created_at: new Date('2026-11-01T00:00:00Z') }])
  // The command adds the sessions page by page. 5,001 sessions need more than one page.
  await store.command(
    `INSERT INTO traces (id, project_id, timestamp, session_id, event_ts) SELECT toString(number), '${projectId}', now(), 's' || toString(number), now() FROM numbers(5001)`,
  )
  expect((await svc('down', '--to', '37', '--yes', '--force')).out).toContain('relational: 5,001 sessions added to trace_sessions')
  expect(await tables()).toEqual(expect.arrayContaining(['traces', 'event_log', 'ingest_ledger']))
  expect(await tables()).not.toContain('events_full')
  expect(Number(await finished())).toBe(0)
})

test('down refuses to drop rows that only the events tables hold after events_only', async () => {
  await svc('up')
  await store.command(
    "INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts) VALUES ('p', 't', 's', now64(6), now64(6))",
  )
  writeMode = 'events_only'
  const refused = await svc('down', '--to', '37', '--yes')
  expect(refused).toMatchObject({
    code: 1,
    error: expect.stringMatching(/only in the events tables.*SVC_MIGRATION_V4_WRITE_MODE.*--force/s),
  })
  expect(await tables()).toContain('events_full')
  await store.command('TRUNCATE TABLE events_full')
  expect((await svc('down', '--to', '37', '--yes')).error).not.toContain('events_only')
})

test('with unfinished background migrations of v3, up fails before it changes the column store', async () => {
  relationalPending = ['unfinished']
  expect(await svc('up')).toMatchObject({ code: 1, error: expect.stringContaining('Not finished: copy.') })
  expect(await tables()).toEqual([])
  expect((await svc('up', '--give-up-background-migrations')).code).toBe(0)
})

test('status and up report an obstacle', async () => {
  await store.command('CREATE TABLE schema_migrations (version Int64, dirty UInt8, sequence UInt64) ENGINE = MergeTree ORDER BY sequence')
  await store.command('INSERT INTO schema_migrations VALUES (36, 1, 1)')
  expect(await svc('status')).toMatchObject({ code: 0, out: expect.stringContaining('is dirty at version 36') })
  expect(await svc('up')).toMatchObject({ code: 1, error: expect.stringContaining('is dirty at version 36') })
  expect(relationalPending).toEqual(['0001-keys'])
})

test('status names the grants that the database user lacks', async () => {
  const poor = { ...store, ask: async (sql: string) => (/ALTER|CHECK GRANT SELECT, INSERT/.test(sql) ? '0' : '1') }
  store = { ...poor, close: store.close }
  const { out, code } = await svc('status')
  expect(code).toBe(0)
  expect(out).toMatch(/^column store {6}The column store's user may not do what the migrations need/)
  expect(out).toContain('lacks these grants')
  expect(out).toMatch(/GRANT ALTER ADD COLUMN ON `migrate_\d+`\.\* TO `\w+`;/)
})

test.each([
  [[], 'give status, up or down'],
  [['sideways'], 'give status, up or down'],
  [['up', 'down'], 'give one of'],
  [['up', '--to', '47'], 'from 37 to 46'],
  [['up', '--own-to', '99'], 'from 0 to'],
  [['down'], 'give a target version'],
  [['down', '--to', '46'], 'give a target version'],
  [['up', '--target', '40'], '--target'],
])('rejects %j and names valid arguments', async (argv, sentence) => {
  expect(await svc(...argv)).toMatchObject({ code: 2, error: expect.stringContaining(sentence) })
})

test('up refuses an older version', async () => {
  await svc('up')
  expect(await svc('up', '--to', '40')).toMatchObject({ code: 2, error: expect.stringContaining('svc migrate down') })
  expect(await tables()).toContain('events_full')
})
