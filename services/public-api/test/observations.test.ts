import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi } from './api.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const path = '/api/public/v2/observations'
const span = (id: string, more: object = {}) => ({
  ...{ project_id: 'project-0', trace_id: 't', span_id: id, name: `span ${id}`, type: 'SPAN', level: 'DEFAULT', environment: 'default' },
  ...{ start_time: '2026-11-01 00:00:00.000000', event_ts: '2026-11-01 00:00:01.000000', input: '{"a":1}' },
  ...more,
})
const rows = [span('a'), span('b', { parent_span_id: 'a', level: 'ERROR', type: 'GENERATION' }), span('x', { project_id: 'other' })]

let opened: ApiOnEngine
beforeAll(async () => {
  opened = await startOnEngine(columnStore =>
    columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${rows.map(row => JSON.stringify(row)).join('\n')}`),
  )
})
afterAll(() => opened.close())

const get = (query = '') => opened.api.send('GET', `${path}${query}`)
const ids = async (query: string) => ((await get(query)).json.data as readonly { readonly id: string }[]).map(({ id }) => id).sort()

test('returns the rows of the project with the requested groups', async () => {
  const all = await get()
  expect(all.status).toBe(200)
  expect(all.json.meta).toEqual({})
  expect(all.json.data).toHaveLength(2)
  expect(all.json.data[0]).toMatchObject({ projectId: 'project-0', traceId: 't', modelId: null, level: expect.any(String) })
  expect(all.json.data[0]).not.toHaveProperty('input')
  expect((await get('?fields=io')).json.data[0].input).toBe('{"a":1}')
})

test('parameters and filters', async () => {
  expect(await ids('?isRootObservation=true')).toEqual(['a'])
  expect(await ids('?parentObservationId=')).toEqual(['a'])
  expect(await ids('?level=ERROR&type=GENERATION')).toEqual(['b'])
  const filter = JSON.stringify([{ type: 'string', column: 'name', operator: 'ends with', value: 'b' }])
  expect(await ids(`?filter=${encodeURIComponent(filter)}`)).toEqual(['b'])
})

test('a cursor continues a list, and gets 400 with other filters', async () => {
  const first = await get('?limit=1')
  expect(first.json.data).toHaveLength(1)
  const { cursor } = first.json.meta as { readonly cursor: string }
  const second = await get(`?limit=1&cursor=${encodeURIComponent(cursor)}`)
  expect([second.json.data.length, second.json.meta]).toEqual([1, {}])
  expect((await get(`?cursor=${encodeURIComponent(cursor)}&level=ERROR`)).status).toBe(400)
})

test.each([
  ['limit=1001', /limit|Expected/],
  ['limit=x', /Expected/],
  ['level=LOUD', /Expected/],
  ['cursor=nothing', /Invalid cursor format/],
  ['filter=%7B', /Invalid JSON in filter parameter/],
  [`filter=${encodeURIComponent('[{"type":"string"}]')}`, /column|Invalid/],
  ['fromStartTime=yesterday', /ISO 8601/],
  ['parseIoAsJson=true', /no longer supported/],
])('%s gets 400', async (query, message) => {
  const answer = await get(`?${query}`)
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)])
})

test('without the opt-in, the API responds 404 before authentication', async () => {
  const env = {
    ...{ SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' },
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  }
  await using api = await startApi({ env })
  const answer = await api.send('GET', path, { authorization: null })
  expect([answer.status, answer.json.message]).toEqual([404, expect.stringContaining('SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=false')])
})
