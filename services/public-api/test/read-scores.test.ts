import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const path = '/api/public/v3/scores'
const day = 86_400_000
const baseMs = Math.floor(Date.now() / day) * day - 10 * day

let api: ApiOnEngine['api']
let columnStore: ApiOnEngine['columnStore']
let close: ApiOnEngine['close']

interface Row {
  readonly id: string
  readonly event: number
  readonly at?: number
  readonly name?: string
  readonly type?: string
  readonly value?: number
  readonly text?: string
  readonly long?: string
  readonly deleted?: boolean
  readonly columns?: Readonly<Record<string, unknown>>
}

const rowOf = ({ id, event, at = baseMs, name = 'n', type = 'NUMERIC', value = 1, text, long = '', deleted, columns }: Row) => ({
  ...{ id, name, value, project_id: 'project-0', source: 'API', data_type: type, string_value: text ?? null, long_string_value: long },
  ...{ timestamp: at, created_at: baseMs, updated_at: baseMs, event_ts: baseMs + event, is_deleted: deleted ? 1 : 0, trace_id: 't' },
  ...columns,
})
const insert = (rows: readonly Row[], into = columnStore) =>
  into.command(`INSERT INTO scores FORMAT JSONEachRow ${rows.map(row => JSON.stringify(timed(rowOf(row)))).join('\n')}`)
const timed = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      ['timestamp', 'created_at', 'updated_at', 'event_ts'].includes(key) ? new Date(Number(value)).toISOString().slice(0, -1) : value,
    ]),
  )

beforeAll(async () => {
  const rows = [
    { id: 'moved', event: 1, name: 'before' },
    { id: 'moved', event: 2, name: 'after', at: baseMs + 2 * day },
    { id: 'gone', event: 1 },
    { id: 'gone', event: 2, name: '', deleted: true },
    { id: 'gone at once', event: 1 },
    { id: 'gone at once', event: 1, name: '', deleted: true },
    { id: 'deleted', event: 1, name: 'd' },
    { id: 'deleted', event: 2, name: 'd', deleted: true },
    { id: 'true', event: 1, type: 'BOOLEAN', value: 1, text: 'True', columns: { environment: 'prod' } },
    { id: 'label', event: 1, type: 'CATEGORICAL', value: 0, text: 'good', columns: { trace_id: null, session_id: 's' } },
    { id: 'correction', event: 1, type: 'CORRECTION', value: 0, long: 'text', columns: { observation_id: 'o' } },
    { id: 'run', event: 1, value: 7, columns: { trace_id: null, dataset_run_id: 'r', metadata: { a: '[1]', b: 'x' }, comment: 'c' } },
    { id: 'foreign', event: 1, columns: { project_id: 'project-1' } },
  ] satisfies readonly Row[]
  ;({ api, columnStore, close } = await startOnEngine(store => insert(rows, store)))
})
afterAll(() => close())

const get = async (query: string) => {
  const answer = await api.send('GET', `${path}?${query}`)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.json as { data: Record<string, unknown>[]; meta: { limit: number; cursor?: string } }
}
const ids = async (query: string) => (await get(query)).data.map(({ id }) => id)

test('each id appears once, from its newest row, newest first, and deleted scores are absent', async () => {
  const { data, meta } = await get('')
  expect(data.map(({ id }) => id)).toEqual(['moved', 'true', 'run', 'label', 'correction'])
  expect(data[0]).toMatchObject({ name: 'after', projectId: 'project-0', timestamp: new Date(baseMs + 2 * day).toISOString() })
  expect(meta).toEqual({ limit: 50 })
})

test('a filter that matches only superseded rows returns no score', async () => {
  expect(await ids('name=before')).toEqual([])
  expect(await ids('name=n&id=gone,gone%20at%20once')).toEqual([])
})

test('returns values by data type and the requested groups', async () => {
  const { data } = await get('fields=details,subject,annotation')
  const byId = Object.fromEntries(data.map(score => [score['id'], score]))
  expect([byId['true']!['value'], byId['label']!['value'], byId['correction']!['value'], byId['run']!['value']]).toEqual([
    true,
    'good',
    'text',
    7,
  ])
  expect(byId['run']).toMatchObject({ subject: { kind: 'experiment', id: 'r' }, metadata: { a: [1], b: 'x' }, comment: 'c', queueId: null })
  expect(byId['correction']!['subject']).toEqual({ kind: 'observation', id: 'o', traceId: 't' })
  expect([byId['label']!['subject'], byId['moved']!['subject']]).toEqual([
    { kind: 'session', id: 's' },
    { kind: 'trace', id: 't' },
  ])
  expect(Object.keys((await get('limit=1')).data[0]!)).not.toContain('comment')
})

test.each([
  ['environment=prod,other', ['true']],
  ['dataType=boolean&value=true', ['true']],
  ['dataType=CATEGORICAL&value=good,bad', ['label']],
  ['dataType=NUMERIC&value=7', ['run']],
  ['dataType=NUMERIC&valueMin=0.5&valueMax=1', ['moved']],
  ['traceId=t&observationId=o', ['correction']],
  ['sessionId=s', ['label']],
  ['experimentId=r', ['run']],
  ['source=api&name=after', ['moved']],
  [`fromTimestamp=${new Date(baseMs + 1).toISOString()}`, ['moved']],
  [`toTimestamp=${new Date(baseMs + 1).toISOString()}&dataType=BOOLEAN`, ['true']],
  ['userId=&traceTags=&id=run', ['run']],
])('%s', async (query, expected) => {
  expect(await ids(query)).toEqual(expected)
})

test('pages neither lose nor repeat scores', async () => {
  const found: unknown[] = []
  let cursor: string | undefined
  do {
    const page: Awaited<ReturnType<typeof get>> = await get(`limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    found.push(...page.data.map(({ id }) => id))
    cursor = page.meta.cursor
  } while (cursor !== undefined)
  expect(found).toEqual(['moved', 'true', 'run', 'label', 'correction'])
})

// Among these characters, NUL takes the most bytes in JSON.
test.each(['\0', '\u4f60', '"', 'x'])('the cursor after the longest id is accepted: %j', async character => {
  const longest = [1, 2].map(at => `${character.repeat(799)}${at}`)
  await insert(longest.map(id => ({ id, event: 1, columns: { trace_id: 'long' } })))
  const first = await get('limit=1&traceId=long')
  const second = await get(`limit=1&traceId=long&cursor=${first.meta.cursor}`)
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(longest.reverse())
  await columnStore.command("DELETE FROM scores WHERE trace_id = 'long'")
})

test('a cursor with other filters is refused; its page size and fields can change', async () => {
  const { cursor } = (await get('limit=1&source=api')).meta
  expect((await get(`limit=2&source=api&fields=core,details&cursor=${cursor}`)).data.length).toBeGreaterThan(0)
  for (const filters of ['', 'source=eval', 'source=api&name=after']) {
    const { status, json } = await api.send('GET', `${path}?${filters}&cursor=${cursor}`)
    expect([status, json.message]).toEqual([400, expect.stringMatching(/^The cursor belongs to a list with different filters/)])
  }
})

test('a cursor longer than any valid cursor is refused', async () => {
  const { status, json } = await api.send('GET', `${path}?cursor=${'x'.repeat(7_000)}`)
  expect([status, json.message]).toEqual([400, 'Invalid cursor format'])
})

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['fields=everything', 'fields'],
  ['source=mine', 'source'],
  ['value=1', 'value'],
  ['value=x&dataType=NUMERIC', 'value'],
  ['valueMin=1', 'valueMin'],
  ['traceId=t&sessionId=s', 'sessionId'],
  ['observationId=o', 'observationId'],
  ['userId=u', 'userId'],
  ['unknown=1', 'unknown'],
  ['name=a&name=b', 'name'],
  ['fromTimestamp=yesterday', 'fromTimestamp'],
])('%s is refused with its key', async (query, key) => {
  const { status, json } = await api.send('GET', `${path}?${query}`)
  expect([status, json.message, json.error[0].path]).toEqual([400, 'Invalid request data', [key]])
})

test('a deletion writes a tombstone for each key in the table', async () => {
  expect((await api.send('DELETE', '/api/public/scores/moved')).status).toBe(202)
  const tombstones = (await api.scores()).filter(({ id }) => id === 'moved')
  expect(tombstones.map(({ name, deleted }) => `${name} ${deleted}`).sort()).toEqual([' true', 'after true', 'before true'])
})

test('a deletion writes a tombstone for every key of an id, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_, at) => ({ id: 'many', event: 1, name: `n${at % 1_250}`, at: baseMs - (at % 3) * day }))
  await insert(many)
  expect(await ids('id=many')).toEqual(['many'])
  expect((await api.send('DELETE', '/api/public/scores/many')).status).toBe(202)
  const deleted = (await api.scores()).filter(({ id }) => id === 'many')
  const keyOf = (name: string, atMs: number) => `${name} ${atMs}`
  expect(new Set(deleted.map(({ name, timestampUs }) => (name === '' ? '' : keyOf(name, timestampUs / 1000))))).toEqual(
    new Set([...many.map(({ name, at }) => keyOf(name, at)), '']),
  )
  expect(deleted.every(each => each.deleted)).toBe(true)
})
