import { createColumnStore } from '@svc-server/column-store/client'
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { markDeleted, readDeletions } from '@svc-server/relational/deletions'
import { createKeyStore } from '@svc-server/relational/key-store'
import { createProject, updateProject } from '@svc-server/relational/projects'
import type { RelationalStore } from '@svc-server/relational/store'
import { inOrganization, instance } from '@svc-server/relational/tenancy'
import { openTestStore } from '@svc-server/relational/test-stores'
import { type Command, decodeCommand } from '@svc-server/schema/command'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { createLogger } from '@svc-server/service/logs'
import { preparedDirectory, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteProjectRows } from '../src/clean-up/project-rows.ts'
import { deleteExpired } from '../src/clean-up/retention.ts'
import { createUpkeep } from '../src/clean-up/upkeep.ts'
import { createDeletionRequests } from '../src/requests.ts'
import { deletableTables } from '../src/tables.ts'

const day = 86_400_000
/** The keys are scratch tables of the backfill. The values are the tables from which the tests copy the columns. */
const scratchTables = {
  observations_pid_tid_sorting: 'observations',
  traces_pid_tid_sorting: 'traces',
  backfill_experiments: 'dataset_run_items_rmt',
}
const projectTables = deletableTables.map(({ table }) => table)
/**
 * For every age in `ages`, the time `nowMs` minus the age is in the same month as `nowMs`. Times of several months would need more
 * mutations, because the tables have a partition per month, and each partition needs its own mutations.
 */
const nowMs = Date.parse('2026-03-31T12:00:00Z')
const ages = [1, 3 * day - 1, 3 * day + 1, 30 * day - 1, 30 * day + 1]
const projects = ['p', "quo'te\\", 'kept']

let directory: TemporaryDirectory
let engine: Engine
let columnStore: ColumnStore
let relational: RelationalStore

/** The tables in a prepared directory are already migrated. */
async function openEngine(dataDir: string): Promise<void> {
  engine = await startEngine({ dataDir, port: 0, password: 'test' })
  columnStore = createColumnStore({
    ...{ url: engine.url, user: engine.user, password: 'test', database: engine.database },
    requestTimeoutMs: 20_000,
  })
  await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
}

async function closeEngine(): Promise<void> {
  await columnStore.close()
  await engine.stop()
}

beforeAll(async () => {
  directory = await temporaryDirectory()
  const dataDir = `${directory.path}/engine`
  await preparedDirectory('engine', dataDir, async path => {
    await openEngine(path)
    await closeEngine()
  })
  await openEngine(dataDir)
  for (const [scratch, of] of Object.entries(scratchTables)) await columnStore.command(`CREATE TABLE ${scratch} AS ${of}`)
  relational = await openTestStore()
  await insert(
    projects,
    ages.map(age => nowMs - age),
  )
})
const patient = { timeout: 400_000 }

afterAll(async () => {
  await relational.close()
  await closeEngine()
  await directory.remove()
})

/** Inserts a row per project and time into the listed tables, or only into `only`. A view copies the rows of events_full to events_core. */
async function insert(into: readonly string[], times: readonly number[], only?: readonly string[]): Promise<void> {
  const rows = into.flatMap(project => times.map(atMs => [literal(project), `'${atMs}'`, `fromUnixTimestamp64Milli(${atMs})`] as const))
  for (const [table, row] of [
    ['events_full (project_id, trace_id, span_id, start_time, event_ts)', (p, id, at) => [p, "'t'", id, at, at]],
    ['traces (project_id, id, timestamp, event_ts)', (p, id, at) => [p, id, at, at]],
    ['observations (project_id, trace_id, id, type, start_time, event_ts)', (p, id, at) => [p, "'t'", id, "'SPAN'", at, at]],
    ['traces_pid_tid_sorting (project_id, id, timestamp, event_ts)', (p, id, at) => [p, id, at, at]],
    [
      'observations_pid_tid_sorting (project_id, trace_id, id, type, start_time, event_ts)',
      (p, id, at) => [p, "'t'", id, "'SPAN'", at, at],
    ],
    ['scores (project_id, trace_id, id, name, timestamp, event_ts)', (p, id, at) => [p, "'t'", id, "'n'", at, at]],
    [
      'dataset_run_items_rmt (project_id, trace_id, id, dataset_id, dataset_run_id, event_ts)',
      (p, id, at) => [p, "'t'", id, "'d'", "'r'", at],
    ],
    [
      'backfill_experiments (project_id, trace_id, id, dataset_id, dataset_run_id, event_ts)',
      (p, id, at) => [p, "'t'", id, "'d'", "'r'", at],
    ],
    [
      'sdk_usage (project_id, sdk_name, sdk_version, path, source, day, updated_at)',
      (p, id, at) => [p, "'a'", "'1'", "'direct'", id, `toDate(${at})`, at],
    ],
  ] as readonly (readonly [string, (p: string, id: string, at: string) => readonly string[]])[]) {
    if (only?.includes(table.slice(0, table.indexOf(' '))) === false) continue
    await columnStore.command(`INSERT INTO ${table} VALUES ${rows.map(each => `(${row(...each).join(', ')})`).join(', ')}`)
  }
}

async function rowsOf(project: string) {
  const counts: Record<string, number> = {}
  for (const table of projectTables) {
    const rows = await columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE project_id = {project:String}`, {
      project,
    })
    counts[table] = Number(rows[0]!.n)
  }
  return counts
}

const expiring = [
  'events_full',
  'events_core',
  'traces',
  'observations',
  'scores',
  'observations_pid_tid_sorting',
  'traces_pid_tid_sorting',
]
const by = (rows: number) => Object.fromEntries(expiring.map(table => [table, rows]))
const others = { dataset_run_items_rmt: 5, backfill_experiments: 5, sdk_usage: 5, blob_storage_file_log: 0 }

test(
  'rows beyond a project’s retention are deleted, to the millisecond; younger rows and rows of another project stay',
  patient,
  async () => {
    const retentions = [
      { projectId: 'p', retentionDays: 3 },
      { projectId: "quo'te\\", retentionDays: 30 },
    ]
    const deleted = await deleteExpired(columnStore, retentions, nowMs)
    expect(deleted).toEqual(by(4))
    expect(await rowsOf('p')).toEqual({ ...others, ...by(2) })
    expect(await rowsOf("quo'te\\")).toEqual({ ...others, ...by(4) })
    expect(await rowsOf('kept')).toEqual({ ...others, ...by(5) })
    const [youngest] = await columnStore.query<{ ids: string[] }>(
      "SELECT groupArray(span_id) AS ids FROM events_full WHERE project_id = 'p'",
    )
    expect(youngest!.ids.sort()).toEqual([nowMs - ages[0]!, nowMs - ages[1]!].map(String).sort())

    expect(await deleteExpired(columnStore, retentions, nowMs)).toEqual({})
    // One table also has an expired row of an earlier month.
    await insert(['p'], [nowMs - 4 * day])
    await insert(['p'], [nowMs - 40 * day], ['traces'])
    expect((await rowsOf('p'))['events_full']).toBe(3)
    expect(await deleteExpired(columnStore, retentions, nowMs)).toEqual({ ...by(1), traces: 2 })
    expect(await deleteExpired(columnStore, [], nowMs)).toEqual({})
  },
)

test(
  'an item whose newest version expires is deleted with its older versions under younger keys; an item that became younger stays',
  patient,
  async () => {
    const moves = { older: [nowMs - day, nowMs - 40 * day], younger: [nowMs - 40 * day, nowMs - day] }
    const rows = Object.entries(moves).flatMap(([id, times]) =>
      times.map((atMs, version) => [`'${id}'`, ...[atMs, nowMs + version].map(ms => `fromUnixTimestamp64Milli(${ms})`)]),
    )
    const of = (row: (id: string, at: string, version: string) => string) =>
      rows.map(([id, at, version]) => `(${row(id!, at!, version!)})`).join(', ')
    await columnStore.command(
      `INSERT INTO traces (project_id, id, timestamp, event_ts) VALUES ${of((...row) => `'moved', ${row.join(', ')}`)}`,
    )
    await columnStore.command(
      `INSERT INTO scores (project_id, name, id, timestamp, event_ts) VALUES ${of((...row) => `'moved', 'n', ${row.join(', ')}`)}`,
    )
    // Each count of 4 consists of the two rows from 40 days ago and the two tombstones for these rows.
    expect(await deleteExpired(columnStore, [{ projectId: 'moved', retentionDays: 30 }], nowMs + day / 2)).toEqual({ scores: 4, traces: 4 })
    for (const table of ['scores', 'traces']) {
      const left = await columnStore.query<{ id: string }>(
        `SELECT id, toString(timestamp) AS at FROM ${table} FINAL WHERE project_id = 'moved'`,
      )
      expect(left).toEqual([{ id: 'younger', at: '2026-03-30 12:00:00.000' }])
    }
  },
)

test('deletions know every table with rows of projects', async () => {
  const found = await columnStore.query<{ table: string }>(
    `SELECT DISTINCT table FROM system.columns WHERE database = {database:String} AND name = 'project_id'
     AND table IN (SELECT name FROM system.tables WHERE database = {database:String} AND engine LIKE '%MergeTree')`,
    { database: columnStore.database },
  )
  // Only v3 uses this table. Its rows expire without a deletion.
  const others = ['observations_batch_staging']
  expect(found.map(({ table }) => table).sort()).toEqual([...projectTables, ...others].sort())
})

test('all rows and bytes of a project are deleted, even after an interruption', patient, async () => {
  const ending = new AbortController()
  ending.abort()
  await expect(deleteProjectRows(columnStore, 'p', { signal: ending.signal })).rejects.toThrow()
  const before = await rowsOf('kept')
  for (let times = 0; times < 2; times++) await deleteProjectRows(columnStore, 'p')
  await deleteProjectRows(columnStore, 'nobody')
  expect(Object.values(await rowsOf('p'))).toEqual(projectTables.map(() => 0))
  expect(await rowsOf('kept')).toEqual(before)
  const hidden = await columnStore.query("SELECT count() AS n FROM events_full WHERE project_id = 'p' SETTINGS apply_deleted_mask = 0")
  expect(hidden).toEqual([{ n: '0' }])
})

test(
  'a round appends commands that a crash left out, finishes deleted projects, and deletes expired rows once a day',
  patient,
  async () => {
    // Two tables are enough here, because the other tests check every table.
    const few = ['events_full', 'scores']
    const keys = createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' })
    await keys.createOrganization({ id: 'o', name: 'o' })
    for (const id of ['doomed', 'staying']) await keys.createProject({ id, orgId: 'o', name: id })
    await relational.db.updateTable('projects').set({ retention_days: 3 }).where('id', '=', 'staying').execute()
    await insert(['doomed'], [nowMs], few)
    await insert(['staying'], [nowMs - day, nowMs - 4 * day], few)

    let clockMs = nowMs
    let isDown = true
    const commands: Command[] = []
    const commanding = {
      relational,
      writeMode: 'dual' as const,
      clock: () => clockMs,
      append: async (_: string, records: readonly { readonly value: Uint8Array | null }[]) => {
        if (isDown) throw new Error('the process dies here')
        commands.push(...records.map(({ value }) => decodeCommand(value!)!))
      },
    }
    const requests = createDeletionRequests({ ...commanding, keys })
    await expect(requests.deleteTraces({ projectId: 'staying', actor: 'operator', traceIds: ['t', 'u'] })).rejects.toThrow('dies')
    await expect(requests.deleteProject({ projectId: 'doomed', actor: 'operator' })).rejects.toThrow('dies')
    isDown = false

    const logger = createLogger({ service: 'test', level: 'silent' })
    const upkeep = createUpkeep({ ...commanding, columnStore, logger })
    const said = () =>
      commands
        .splice(0)
        .map(({ kind, projectId, traceId, acceptedAtMs }) => [kind, projectId, traceId ?? '', acceptedAtMs - nowMs].join(' '))
    await upkeep.round()
    // The process that received the deletions can still append their commands. Upkeep therefore appends no commands yet.
    expect(said()).toEqual([])
    clockMs += 30_000
    const again = createUpkeep({ ...commanding, columnStore, logger })
    clockMs += 60_000
    await again.round()
    expect(said().sort()).toEqual(['delete_project doomed  90000', 'delete_trace staying t 90000', 'delete_trace staying u 90000'])
    clockMs += 60_000
    await again.round()
    expect(said()).toEqual([])

    // No worker has executed the deletion yet, so the project still has its data.
    expect((await rowsOf('doomed'))['events_full']).toBe(1)
    await markDeleted(instance(relational), [{ projectId: 'doomed', traceId: null, acceptedAtMs: nowMs + 90_000 }], new Date(clockMs))
    await upkeep.round()
    expect(Object.values(await rowsOf('doomed')).every(rows => rows === 0)).toBe(true)
    expect(await relational.db.selectFrom('projects').select('id').execute()).toEqual([{ id: 'staying' }])
    for await (const batch of readDeletions(instance(relational), { projectId: 'doomed' }))
      expect(batch).toMatchObject([{ traceId: null, isDone: true }])

    expect((await rowsOf('staying'))['events_full']).toBe(1)
    await insert(['staying'], [nowMs - 5 * day], few)
    await upkeep.round()
    expect((await rowsOf('staying'))['events_full']).toBe(2)
    clockMs += day
    await upkeep.round()
    expect((await rowsOf('staying'))['events_full']).toBe(1)
    expect(said()).toHaveLength(2)
  },
)

test('after a project’s retention is lengthened, the former cutoff is remembered from the next round on, also by later processes', async () => {
  const clockMs = Date.now()
  const keys = createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' })
  await keys.createOrganization({ id: 'changing', name: 'changing' })
  const by = { actor: 'operator' as const, at: new Date(clockMs - day) }
  const made = await createProject(instance(relational), by, { orgId: 'changing', name: 'longer', retentionDays: 3 })
  if ('refused' in made) throw new Error(made.refused)
  const logger = createLogger({ service: 'test', level: 'silent' })
  const upkeepOf = () =>
    createUpkeep({ relational, columnStore, logger, writeMode: 'dual', clock: () => clockMs, append: async () => undefined })
  const there = upkeepOf()
  await there.round()
  expect([there.kept.retentions.get(made.id), there.kept.takenBefore.size]).toEqual([3, 0])
  await updateProject(inOrganization(relational, 'changing'), by, made.id, { name: 'longer', retentionDays: 0 })
  const later = upkeepOf()
  for (const upkeep of [there, later]) {
    await upkeep.round()
    expect(upkeep.kept.retentions.has(made.id)).toBe(false)
    expect(upkeep.kept.takenBefore).toEqual(new Map([[made.id, clockMs - 4 * day]]))
  }
})
