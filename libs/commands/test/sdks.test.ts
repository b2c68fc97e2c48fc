import type { WriteMode } from '@svc-server/modes/write-mode'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../src/run.ts'
import { type OpenedColumnStore, openColumnStore } from './column-store.ts'

let directory: TemporaryDirectory
let tables: OpenedColumnStore

beforeAll(async () => {
  directory = await temporaryDirectory()
  tables = await openColumnStore(`${directory.path}/engine`)
})
afterAll(async () => {
  await tables.close()
  await directory.remove()
})

let writeMode: WriteMode = 'dual'

async function sdks(...args: string[]) {
  const out: string[] = []
  const errors: string[] = []
  const unused = () => Promise.reject(new Error('not part of this test'))
  const context = {
    keys: unused,
    relational: unused,
    log: unused,
    columnStore: async () => tables.columnStore,
    migrations: unused,
    writeMode,
    servicesRunning: true,
    print: (line: string) => void out.push(line),
  }
  const code = await runCommand(['sdks', ...args], context, line => errors.push(line))
  return { code, out: out.join('\n'), error: errors.join('\n') }
}

const insert = (values: string) =>
  tables.columnStore.command(
    `INSERT INTO sdk_usage (day, project_id, sdk_name, sdk_version, path, source, requests, spans, events, scores, last_seen, updated_at) VALUES ${values}`,
  )

test('sums the newest counts of each run over runs, days and projects, and omits days outside the range', async () => {
  expect(await sdks()).toMatchObject({ code: 0, out: 'No SDK sent data in this period.' })
  await insert(`(today(), 'a', 'svc-js', '3.0.0', 'ingestion', 'one', 1, 0, 10, 0, now64(3), now64(3) - 10)`)
  await insert(`(today(), 'a', 'svc-js', '3.0.0', 'ingestion', 'one', 2, 0, 20, 0, now64(3), now64(3))`)
  await insert(`(today(), 'a', 'svc-js', '3.0.0', 'ingestion', 'two', 1, 0, 5, 0, now64(3) - 100, now64(3))`)
  await insert(`(today() - 2, 'b', 'svc-js', '3.0.0', 'ingestion', 'one', 1, 0, 1, 1, now64(3) - 200000, now64(3))`)
  await insert(`(today() - 9, 'c', 'svc-js', '3.0.0', 'ingestion', 'one', 1000, 0, 1000, 1, now64(3) - 900000, now64(3))`)
  await insert(`(today(), 'a', 'python', '5.0.4', 'direct', 'one', 3, 30, 0, 0, now64(3), now64(3))`)
  await insert(`(today(), '', 'other', 'other', 'refused', 'one', 3, 0, 0, 0, now64(3), now64(3))`)
  const { code, out } = await sdks()
  expect(code).toBe(0)
  expect(out.split('\n').map(line => line.replaceAll(/ {2,}/g, ' | ').replace(/\d+ s ago/, 'now'))).toEqual([
    'sdk | version | path | spans | events | scores | requests | projects | last seen | upgrade to',
    'other | other | refused | 0 | 0 | 0 | 3 | 1 | now | an SDK that sends OpenTelemetry spans',
    'python | 5.0.4 | direct | 30 | 0 | 0 | 3 | 1 | now | -',
    'svc-js | 3.0.0 | ingestion | 0 | 26 | 1 | 4 | 2 | now | JS/TS SDK 5.4.0 or newer',
    '',
    'SDKs to upgrade before events_only: 2.',
  ])
  expect((await sdks('--days', '30')).out).toContain('1026')
  const byProject = (await sdks('--projects')).out
  expect(byProject).toContain('(many)')
  expect(byProject.match(/svc-js/g)).toHaveLength(2)
  expect(JSON.parse((await sdks('--json')).out)).toMatchObject({ sdks: [{}, {}, { projects: 2, projectIds: ['a', 'b'] }] })
})

test('counts two SDKs separately when their concatenated names and versions are equal', async () => {
  await tables.columnStore.command('TRUNCATE TABLE sdk_usage')
  await insert(`(today(), 'a', 'my sdk', '1', 'ingestion', 'one', 1, 0, 10, 0, now64(3), now64(3))`)
  await insert(`(today(), 'a', 'my', 'sdk 1', 'ingestion', 'one', 1, 0, 10, 0, now64(3), now64(3))`)
  expect((await sdks()).out).toContain('SDKs to upgrade before events_only: 2.')
})

test('in events_only, lists the SDKs that the server rejects, or reports that no SDK has to upgrade', async () => {
  writeMode = 'events_only'
  onTestFinished(() => void (writeMode = 'dual'))
  expect((await sdks()).out).toContain('SDKs to upgrade, because events_only refuses their requests: 2.')
  await tables.columnStore.command('TRUNCATE TABLE sdk_usage')
  await insert(`(today(), 'a', 'python', '5.0.4', 'direct', 'one', 3, 30, 0, 0, now64(3), now64(3))`)
  expect((await sdks()).out).toContain('No SDK needs an upgrade.')
  writeMode = 'dual'
  expect((await sdks()).out).toContain('SDKs to upgrade before events_only: none.')
})

test.each([
  ['--days', '0'],
  ['--days', '401'],
  ['--days', 'soon'],
  ['--nonsense', ''],
])('rejects %s %s', async (option, value) => {
  expect(await sdks(option, value)).toMatchObject({ code: 2, error: expect.stringContaining(option) })
})
