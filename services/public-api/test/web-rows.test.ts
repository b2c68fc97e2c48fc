import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedDatasets, openDatasets } from './datasets.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'
import { addPerson, signedInAs } from './people.ts'

const second = (at: number) => `2026-11-01 00:00:${String(at).padStart(2, '0')}.000000`
const span = (at: number, more: object = {}) => ({
  ...{ project_id: 'project-0', trace_id: `trace-${at}`, span_id: `span-${at}`, name: at < 8 ? 'answer' : 'search', type: 'SPAN' },
  ...{ level: 'DEFAULT', environment: 'default', tags: ['all', `t${at % 2}`], input: 'words' },
  ...{ start_time: second(at), end_time: second(at + (at % 3) + 1), event_ts: second(30) },
  ...more,
})
const priced = (at: number) => span(at, { provided_model_name: 'gpt-5', cost_details: { total: 5 - at } })
const rows = [
  ...[priced(0), priced(1), ...[2, 3, 4, 5, 6, 7, 8, 9].map(at => span(at))],
  // The row `before` is an older version of row 3, so reads ignore it. Row 11 has no end time and therefore no latency.
  span(3, { name: 'before', event_ts: second(1) }),
  span(11, { end_time: null }),
  span(0, { project_id: 'another', name: 'secret' }),
]

let datasets: OpenedDatasets
let opened: ApiOnEngine
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  datasets = await openDatasets()
  opened = await startOnEngine(
    columnStore => columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`),
    { relational: datasets.store },
  )
  headers = await signedInAs(datasets.store, await addPerson(datasets.store, 'viewer@example.com', 'VIEWER'))
})
afterAll(async () => {
  await opened.close()
  await datasets[Symbol.asyncDispose]()
})

const get = (path: string, query: Readonly<Record<string, string>>) =>
  opened.api.send('GET', `/api/ui/projects/project-0/rows/${path}?${new URLSearchParams(query)}`, { authorization: null, headers })
const answers = JSON.stringify([{ type: 'string', column: 'name', operator: '=', value: 'answer' }])
const search = JSON.stringify([{ type: 'string', column: 'input', operator: 'matches', value: 'words' }])

test('rows are sorted by a number, newest first among equals, without rows that lack it', async () => {
  const top = async (query: Readonly<Record<string, string>>) => {
    const { status, json } = await get('top', query)
    return [status, json.data.map(({ id }: { readonly id: string }) => id)]
  }
  const slow = ['span-8', 'span-5', 'span-2']
  expect(await top({ by: 'latency', limit: '3' })).toEqual([200, slow])
  expect(await top({ by: 'latency', filter: search, limit: '3' })).toEqual([200, slow])
  expect(await top({ by: 'latency', direction: 'asc', filter: answers, limit: '2' })).toEqual([200, ['span-6', 'span-3']])
  expect(await top({ by: 'cost' })).toEqual([200, ['span-0', 'span-1']])
  expect((await get('top', { by: 'name' })).status).toBe(400)
})

test('values have counts, most frequent first', async () => {
  const { status, json } = await get('facets', { fields: 'name,traceTags,model' })
  expect([status, json]).toEqual([
    200,
    {
      ...{ rows: 11, partRows: 0 },
      facets: [
        { field: 'name', values: [value('answer', 8), value('search', 3)] },
        { field: 'traceTags', values: [value('all', 11), value('t1', 6), value('t0', 5)] },
        { field: 'model', values: [value('gpt-5', 2)] },
      ],
    },
  ])
  const narrowed = await get('facets', { fields: 'name', contains: 'EAR', limit: '1' })
  expect(narrowed.json.facets).toEqual([{ field: 'name', values: [value('search', 3)] }])
})

test('values of a part of the range are sorted by the difference of their shares', async () => {
  const { json } = await get('facets', { fields: 'name,model', partFrom: '2026-11-01T00:00:08Z', partTo: '2026-11-01T00:01:00Z' })
  expect([json.rows, json.partRows]).toEqual([11, 3])
  expect(json.facets[0].values).toEqual([value('answer', 8, 0), value('search', 3, 3)])
  expect((await get('facets', { fields: 'name', fromStartTime: '2027-01-01T00:00:00Z' })).json).toEqual({
    rows: 0,
    partRows: 0,
    facets: [],
  })
})

test('rows are counted over time, for every filter of the table', async () => {
  const buckets = async (query: Readonly<Record<string, string>>) => {
    const { status, json } = await get('histogram', query)
    return [
      status,
      json.buckets?.map((each: Readonly<Record<string, number>>) => [each['startMs']! / 1_000 - start, each['count'], each['errors']]),
    ]
  }
  const start = Date.parse('2026-11-01T00:00:00Z') / 1_000
  expect(await buckets({ stepMs: '10000' })).toEqual([
    200,
    [
      [0, 10, 0],
      [10, 1, 0],
    ],
  ])
  const slow = { type: 'number', column: 'latency', operator: '>', value: 2 }
  expect(await buckets({ stepMs: '10000', filter: JSON.stringify([slow]), fromStartTime: '2026-11-01T00:00:03Z' })).toEqual([
    200,
    [[0, 2, 0]],
  ])
  expect(await buckets({ stepMs: '60000', filter: search })).toEqual([200, [[0, 11, 0]]])
  expect((await buckets({ stepMs: '1' }))[0]).toBe(400)
  // Days begin at midnight of the time zone. All rows are at 00:00 UTC. This is 14:00 in the first zone, and 13:00 of the previous day in
  // the second zone.
  const days = (timeZone: string) => buckets({ stepMs: '86400000', timeZone })
  expect(await days('Pacific/Kiritimati')).toEqual([200, [[0, 11, 0]]])
  expect(await days('Pacific/Pago_Pago')).toEqual([200, [[-86_400, 11, 0]]])
  // Hours begin at a full hour of the time zone. The response reports their start in UTC.
  expect(await buckets({ stepMs: '3600000', timeZone: 'Asia/Kolkata' })).toEqual([200, [[-1_800, 11, 0]]])
  expect((await days('Pacific/Nowhere'))[0]).toBe(400)
})

const value = (text: string, count: number, partCount = 0) => ({ value: text, count, partCount })

test('a tail sends each arriving row once, and a ninth tail gets 429', async () => {
  const url = `http://127.0.0.1:${opened.api.port}/api/ui/projects/project-0/rows/tail?${new URLSearchParams({ fromStartTime: '2026-12-01T00:00:00Z' })}`
  const left = new AbortController()
  const open = () => fetch(url, { headers, signal: left.signal })
  const response = await open()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const events = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let sent = ''
  const until = async (what: string) => {
    while (!sent.includes(what)) sent += (await events.read()).value ?? ''
  }
  await until('"rows":[]')
  const later = { ...span(0), trace_id: 'later', span_id: 'later', start_time: '2026-12-01 00:00:01.000000', end_time: null }
  await opened.columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${JSON.stringify(later)}`)
  await until('"later"')
  sent = sent.slice(sent.lastIndexOf('data:'))
  await until('"rows":[]')
  expect(sent.match(/"id":"later"/g)).toHaveLength(1)
  const more = await Promise.all(Array.from({ length: 8 }, open))
  expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 429])
  left.abort()
})

test('rows include sums of their traces, metadata and the newest score of each name, all of the same project', async () => {
  const ask = (body: object) => opened.api.send('POST', '/api/ui/projects/project-0/rows/more', { authorization: null, headers, body })
  const child = span(0, { span_id: 'child', cost_details: { total: 2 }, usage_details: { total: 30 } })
  const leaf = span(0, {
    ...priced(0),
    metadata_names: ['plan', 'n'],
    metadata_values: ['pro', '3'],
    metadata_types: [0, 1],
    event_ts: second(40),
  })
  await opened.columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${JSON.stringify(child)}\n${JSON.stringify(leaf)}`)
  const score = (id: string, name: string, at: number, more: object) => ({
    ...{
      project_id: 'project-0',
      id,
      name,
      trace_id: 'trace-0',
      timestamp: second(at),
      source: 'API',
      data_type: 'NUMERIC',
      event_ts: second(at),
    },
    ...more,
  })
  const made = [
    score('s1', 'accuracy', 1, { value: 0.25 }),
    score('s2', 'accuracy', 2, { value: 0.5 }),
    score('s3', 'mood', 1, { observation_id: 'span-0', data_type: 'CATEGORICAL', string_value: 'good' }),
    score('s4', 'mood', 3, { project_id: 'another', string_value: 'bad' }),
  ]
  await opened.columnStore.command(`INSERT INTO scores FORMAT JSONEachRow ${made.map(each => JSON.stringify(each)).join('\n')}`)
  const byTrace = (a: { readonly traceId: string }, b: { readonly traceId: string }) => (a.traceId < b.traceId ? -1 : 1)
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)
  const none = { rows: [], metadata: [], scores: [], sumsOf: [] }
  const of = (at: number) => ({ traceId: `trace-${at}`, id: `span-${at}` })
  expect((await ask({ ...none, sumsOf: ['trace-0', 'trace-2'] })).json.sums.toSorted(byTrace)).toEqual([
    { traceId: 'trace-0', observations: 2, cost: 7, tokens: 30 },
    { traceId: 'trace-2', observations: 1, cost: 0, tokens: 0 },
  ])
  const { status, json } = await ask({ ...none, rows: [of(0), of(2)], metadata: ['plan', 'n', 'none'], scores: ['accuracy', 'mood'] })
  expect([status, json.rows]).toEqual([
    200,
    [
      { ...of(0), metadata: { plan: { text: 'pro', type: 0 }, n: { text: '3', type: 1 } } },
      { ...of(2), metadata: {} },
    ],
  ])
  expect(json.scores.toSorted(byName)).toEqual([
    { traceId: 'trace-0', observationId: null, name: 'accuracy', value: 0.5 },
    { traceId: 'trace-0', observationId: 'span-0', name: 'mood', value: 'good' },
  ])
  expect((await ask({ ...none, metadata: [''] })).status).toBe(400)

  // Facets also count the names of scores. Only the newest version of each score of this project counts.
  const { json: names } = await get('facets', { fields: 'name,traceScore,score', limit: '1' })
  expect(names.facets).toEqual([
    { field: 'name', values: [value('answer', 10)] },
    { field: 'traceScore', values: [value('accuracy', 2)] },
    { field: 'score', values: [value('mood', 1)] },
  ])
  const { json: narrowed } = await get('facets', { fields: 'traceScore,score', contains: 'MOO', fromStartTime: '2026-11-01T00:00:01Z' })
  expect(narrowed.facets.map(({ values }: { readonly values: readonly unknown[] }) => values)).toEqual([[], [value('mood', 1)]])
})
