import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'
import { addPerson, signedInAs } from './people.ts'

let datasets: OpenedDatasets
let opened: ApiOnEngine
let headers: Readonly<Record<string, string>>
const today = new Date().toISOString().slice(0, 10)
const now = `${new Date().toISOString().slice(0, 19).replace('T', ' ')}.000`
const usage = (sdk: string, version: string, path: string, more: object) => ({
  ...{ day: today, project_id: 'project-0', sdk_name: sdk, sdk_version: version, path, requests: 2, last_seen: now },
  ...more,
})

beforeAll(async () => {
  datasets = await openDatasets()
  opened = await startOnEngine(
    async columnStore => {
      const rows = [usage('javascript', '5.1.0', 'direct', { spans: 7 }), usage('python', '2.60.3', 'ingestion', { events: 4 })]
      await columnStore.command(`INSERT INTO sdk_usage FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`)
      const ledger = { topic: 'spans.direct', spans: 5, rows: 3, dead_lettered: 0, denied: 0 }
      await columnStore.command(`INSERT INTO ingest_ledger FORMAT JSONEachRow ${JSON.stringify(ledger)}`)
    },
    { relational: datasets.store },
  )
  headers = await signedInAs(datasets.store, await addPerson(datasets.store, 'viewer@example.com', 'VIEWER'))
})
afterAll(async () => {
  await opened.close()
  await datasets[Symbol.asyncDispose]()
})

const get = (path: string) => opened.api.send('GET', `/api/ui/system/${path}`, { authorization: null, headers })

test('items that the ledger misses are reported as unaccounted', async () => {
  const { status, json } = await get('status')
  expect([status, json.unaccounted]).toEqual([200, [{ topic: 'spans.direct', items: 2 }]])
})

test('SDKs are listed with their requests and the version to upgrade to, without projects', async () => {
  const { status, text, json } = await get('sdks')
  expect(status).toBe(200)
  expect(json.sdks).toMatchObject([
    { sdk: 'javascript', version: '5.1.0', spans: 7, move: null },
    { sdk: 'python', version: '2.60.3', events: 4, move: expect.stringContaining('Python SDK') },
  ])
  expect(text).not.toContain('project-0')
})

test('without a planned migration, every step is waiting', async () => {
  const { status, json } = await get('migration')
  expect([status, json.isPaused, json.missed]).toEqual([200, false, null])
  expect(json.steps.map(({ status: of }: { readonly status: string }) => of)).toEqual(json.steps.map(() => 'waiting'))
})

test('the system pages require a sign-in', async () => {
  for (const path of ['status', 'sdks', 'migration']) {
    const { status } = await opened.api.send('GET', `/api/ui/system/${path}`, { authorization: null })
    expect(status).toBe(401)
  }
})
