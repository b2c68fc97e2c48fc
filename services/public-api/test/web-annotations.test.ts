// The root observation of a trace shows the scores and comments of the trace. A new score or comment is stored on the root (contract §2.2).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'
import { addPerson, signedInAs } from './people.ts'

const span = (trace_id: string, span_id: string, second: number, parent_span_id = '') => ({
  ...{ project_id: 'project-0', trace_id, span_id, parent_span_id, name: span_id, type: 'SPAN', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: `2026-11-01 00:00:0${second}.000000`, event_ts: '2026-11-01 00:00:09.000000' },
})
const spans = [
  span('t', 'child', 0, 'root'),
  span('t', 'root', 1),
  span('t', 'late-root', 2),
  span('of-children', 'orphan', 0, 'elsewhere'),
]

const score = (id: string, subject: object) => ({
  ...{ project_id: 'project-0', id, name: id, value: 1, data_type: 'NUMERIC', source: 'API', environment: 'default' },
  ...{ timestamp: '2026-11-01 00:00:00.000', event_ts: '2026-11-01 00:00:00.000', ...subject },
})
const scores = [
  score('a-of-trace', { trace_id: 't' }),
  score('b-of-root', { trace_id: 't', observation_id: 'root' }),
  score('c-of-child', { trace_id: 't', observation_id: 'child' }),
  score('d-of-session', { trace_id: 't', session_id: 's' }),
  score('e-of-run', { trace_id: 't', dataset_run_id: 'r' }),
  score('f-elsewhere', { trace_id: 'u' }),
]

let datasets: OpenedDatasets
let opened: ApiOnEngine
let user: { readonly id: string }
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  datasets = await openDatasets()
  opened = await startOnEngine(
    async columnStore => {
      const insert = (table: string, rows: readonly object[]) =>
        columnStore.command(`INSERT INTO ${table} FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`)
      await insert('events_full', spans)
      await insert('scores', scores)
    },
    { relational: datasets.store },
  )
  const person = await addPerson(datasets.store, 'member@example.com', 'MEMBER')
  user = person
  headers = await signedInAs(datasets.store, person)
})
afterAll(async () => {
  await opened.close()
  await datasets[Symbol.asyncDispose]()
})

const ask = (method: string, path: string, body?: object) =>
  opened.api.send(method, `/api/ui/projects/project-0/traces/${path}`, { authorization: null, headers, ...(body && { body }) })
const namesOf = async (path: string) =>
  (await ask('GET', `${path}/scores?limit=1`)).json.data
    .concat((await rest(`${path}/scores?limit=100`)).slice(1))
    .map(({ name }: { readonly name: string }) => name)
const rest = async (path: string) => (await ask('GET', path)).json.data as readonly object[]

test('the root (the earliest observation without a parent) shows the scores of its trace and its own; other observations show only their own', async () => {
  expect((await namesOf('t/observations/root')).sort()).toEqual(['a-of-trace', 'b-of-root'])
  expect(await namesOf('t/observations/child')).toEqual(['c-of-child'])
  expect(await rest('t/observations/late-root/scores')).toEqual([])
})

test('a comment on a trace is stored on its root, and shown with comments that keys left on the trace', async () => {
  const comment = { projectId: 'project-0', objectType: 'TRACE', objectId: 't', content: 'by a key' }
  expect((await opened.api.send('POST', '/api/public/comments', { body: comment })).status).toBe(200)
  const made = await ask('POST', 't/comments', { content: ' by a person ' })
  expect(made).toMatchObject({
    status: 200,
    json: { objectType: 'OBSERVATION', objectId: 'root', content: 'by a person', authorUserId: user.id },
  })
  await ask('POST', 't/comments', { content: 'elsewhere', observationId: 'child' })
  const contents = async (path: string) =>
    (await ask('GET', `${path}/comments`)).json.data.map(({ content }: { readonly content: string }) => content)
  expect((await contents('t/observations/root')).sort()).toEqual(['by a key', 'by a person'])
  expect(await contents('t/observations/child')).toEqual(['elsewhere'])
})

test('a trace without a root keeps its comment until the root arrives; a missing trace gets 404', async () => {
  expect((await ask('POST', 'of-children/comments', { content: 'early' })).json).toMatchObject({
    objectType: 'TRACE',
    objectId: 'of-children',
  })
  for (const [path, body] of [
    ['nowhere/comments', { content: 'a' }],
    ['t/comments', { content: 'a', observationId: 'nothing' }],
  ] as const) {
    expect((await ask('POST', path, body)).status).toBe(404)
  }
})
