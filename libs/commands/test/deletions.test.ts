import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { markDeleted } from '@svc-server/relational/deletions'
import { createKeyStore } from '@svc-server/relational/key-store'
import { purgeProject } from '@svc-server/relational/project-deletion'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { openTestStore } from '@svc-server/relational/test-stores'
import { decodeCommand } from '@svc-server/schema/command'
import { topicSpecs } from '@svc-server/schema/topics'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../src/run.ts'
import { type OpenedColumnStore, openColumnStore } from './column-store.ts'

let directory: TemporaryDirectory
let tables: OpenedColumnStore
let log: EmbeddedLog
let relational: RelationalStore

beforeAll(async () => {
  directory = await temporaryDirectory()
  tables = await openColumnStore(`${directory.path}/engine`)
  log = await openEmbeddedLog({
    directory: `${directory.path}/log`,
    topics: topicSpecs({ embedded: true, enabledReaders: [] }),
    // The interval is an hour, so that compaction does not delete the commands that a test counts.
    maintenanceIntervalMs: 3_600_000,
  })
  relational = await openTestStore()
  await keys().createOrganization({ id: 'o', name: 'o' })
  for (const id of ['p', 'q']) await keys().createProject({ id, orgId: 'o', name: id })
})
afterAll(async () => {
  await relational.close()
  await log.close()
  await tables.close()
  await directory.remove()
})

const keys = () => createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' })

async function svc(...argv: string[]) {
  const out: string[] = []
  const errors: string[] = []
  const context = {
    keys: async () => keys(),
    relational: async () => relational,
    log: async () => log,
    columnStore: async () => tables.columnStore,
    migrations: () => Promise.reject(new Error('not part of this test')),
    writeMode: 'dual' as const,
    servicesRunning: true,
    print: (line: string) => void out.push(line),
  }
  const code = await runCommand(argv, context, line => errors.push(line))
  return { code, out: out.join('\n'), error: errors.join('\n') }
}

async function commands() {
  const found = []
  for (const partition of [0, 1]) {
    const { records } = await log.read(topicNames.commands, partition, 0, 1 << 20)
    found.push(...records.map(({ value }) => decodeCommand(value!)!))
  }
  return found.map(({ projectId, kind, traceId, writeMode }) => [kind, projectId, traceId, writeMode].join(' ')).sort()
}

const statesOf = async (...args: string[]) => {
  const { out } = await svc('deletions', '--json', ...args)
  const lines =
    out === '' ? [] : out.split('\n').map(line => JSON.parse(line) as { projectId: string; traceId: string | null; state: string })
  return lines.map(({ projectId, traceId, state }) => `${projectId}/${traceId ?? ''} ${state}`).sort()
}

test('delete shows what it would delete; with --yes it records the deletion and appends a command, and svc deletions shows the progress', async () => {
  await tables.columnStore.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts) VALUES
     ('p', 't', 's1', now64(6), now64(6)), ('p', 't', 's2', now64(6), now64(6)), ('p', 'u', 's3', now64(6), now64(6)), ('q', 't', 's4', now64(6), now64(6))`,
  )
  await tables.columnStore.command("INSERT INTO traces (id, project_id, timestamp, event_ts) VALUES ('t', 'p', now64(3), now64(3))")
  const dry = await svc('delete', 'trace', '--project', 'p', 't')
  expect(dry).toEqual({
    code: 0,
    out: 'Trace t: 2 rows of events_full, 1 row of traces would be deleted.\nNothing was deleted. Add --yes to delete it.',
    error: '',
  })
  expect([await commands(), await statesOf('--all'), (await svc('deletions')).out]).toEqual([[], [], 'No deletion is in progress.'])

  expect((await svc('delete', 'trace', '--project', 'p', 't', 'nothing', '--yes')).out).toBe(
    '2 traces: 2 rows of events_full, 1 row of traces are being deleted.',
  )
  expect(await commands()).toEqual(['delete_trace p nothing dual', 'delete_trace p t dual'])
  expect(await statesOf()).toEqual(['p/nothing tombstoned', 'p/t pending'])
  const deleted = relational.db.selectFrom('audit_logs').select(['user_id', 'resource_id']).where('action', '=', 'delete')
  const entries = await deleted.orderBy('resource_id').execute()
  expect(entries).toEqual(['nothing', 't'].map(resource_id => ({ user_id: 'operator', resource_id })))

  await tables.columnStore.command("ALTER TABLE events_full DELETE WHERE project_id = 'p' AND trace_id = 't' SETTINGS mutations_sync = 2")
  expect(await statesOf()).toContain('p/t pending')
  await tables.columnStore.command(
    "INSERT INTO traces (id, project_id, timestamp, event_ts, is_deleted) SELECT id, project_id, timestamp, event_ts + 1, 1 FROM traces WHERE id = 't'",
  )
  expect(await statesOf()).toContain('p/t tombstoned')
  expect((await svc('deletions', '--project', 'p')).out).toMatch(
    /^project +trace +state +asked for \(UTC\)\np +(t|nothing) +tombstoned +20\S+ \S+ +\d+ s ago\n/,
  )
  await markDeleted(instance(relational), [{ projectId: 'p', traceId: 't', acceptedAtMs: Date.now() }], new Date())
  expect(await statesOf()).toEqual(['p/nothing tombstoned'])
  expect(await statesOf('--all')).toEqual(['p/nothing tombstoned', 'p/t done'])
  expect((await svc('deletions', '--all', '--limit', '1')).out).toMatch(/The oldest 1 of 2 are shown\.$/)
})

test('reports traces without readable rows', async () => {
  expect((await svc('delete', 'trace', '--project', 'p', 'trace-0')).out).toBe(
    'Trace trace-0: it has no readable rows.\nNothing was deleted. Add --yes to delete it.',
  )
  expect((await svc('delete', 'trace', '--project', 'p', 'trace-0', 'more')).out).toBe(
    '2 traces: they have no readable rows.\nNothing was deleted. Add --yes to delete them.',
  )
  expect((await svc('delete', 'trace', '--project', 'p', 'trace-0', '--yes')).out).toBe('Trace trace-0: deleted; it had no readable rows.')
})

test('deletes a project after showing its rows, and svc deletions shows the progress', async () => {
  expect((await svc('delete', 'project', 'q')).out).toMatch(/^Project 'q': 1 row of events_full would be deleted\.\n/)
  const { publicKey, secretKey } = await keys().createKeyPair({ owner: { projectId: 'q' } })
  expect(JSON.parse((await svc('delete', 'project', 'q', '--yes', '--json')).out)).toMatchObject({
    projectId: 'q',
    done: true,
    rows: { events_full: 1 },
  })
  expect(await keys().verify(publicKey, secretKey)).toBeNull()
  expect(await statesOf('--project', 'q')).toEqual(['q/ pending'])
  expect(await commands()).toContain('delete_project q  dual')
})

test('deletes a deleted project again, even when it was purged and a restored column store has its rows', async () => {
  const asked = async () => (await commands()).filter(each => each.startsWith('delete_project gone')).length
  await keys().createProject({ id: 'gone', orgId: 'o', name: 'gone' })
  for (const times of [1, 2]) {
    expect((await svc('delete', 'project', 'gone', '--yes')).code).toBe(0)
    expect(await asked()).toBe(times)
  }
  await purgeProject(instance(relational), 'gone', new Date())
  await tables.columnStore.command(
    "INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts) VALUES ('gone', 't', 's', now64(6), now64(6))",
  )
  expect((await svc('delete', 'project', 'gone')).out).toMatch(/^Project 'gone': 1 row of events_full would be deleted\.\n/)
  expect((await svc('delete', 'project', 'gone', '--yes')).out).toBe("Project 'gone': 1 row of events_full is being deleted.")
  expect(await asked()).toBe(3)
})

test.each([
  [['delete'], 'give trace or project'],
  [['delete', 'score', 'x'], "not 'score'"],
  [['delete', 'trace', 't'], '--project'],
  [['delete', 'trace', '--project', 'p'], 'ids of traces'],
  [['delete', 'trace', '--project', 'nowhere', 't', '--yes'], "no project 'nowhere'"],
  [['delete', 'project'], 'id of one project'],
  [['delete', 'project', 'nowhere', '--yes'], "no project 'nowhere'"],
  [['delete', 'project', 'p', '--project', 'p'], '--project is allowed only with traces'],
  [['deletions', '--limit', '0'], '--limit 0'],
])('rejects %j and names the mistake', async (argv, word) => {
  const { code, error } = await svc(...argv)
  expect(code).toBe(2)
  expect(error).toContain(word)
})
