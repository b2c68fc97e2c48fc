import { sized } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (...request) => opened.send(...request)
const ndjson = { headers: { 'content-type': 'application/x-ndjson' } }

interface Result {
  readonly line: number
  readonly status: number
  readonly id?: string
  readonly message?: string
}

async function batch(lines: readonly (object | string)[]): Promise<readonly Result[]> {
  const body = lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const answer = await send('POST', '/dataset-items/batch', body, ndjson)
  expect(answer.status, answer.text).toBe(200)
  return answer.text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Result)
}

test('each line gets a result, and every valid line is written', async () => {
  await send('POST', '/v2/datasets', { name: 'many', inputSchema: { type: 'object', required: ['q'] } })
  await send('POST', '/v2/datasets', { name: 'other' })
  await send('POST', '/dataset-items', { datasetName: 'other', id: 'taken' })
  const results = await batch([
    { datasetName: 'many', id: 'a', input: { q: 12_345 }, expectedOutput: 'one', metadata: { deep: [1, null] } },
    { datasetName: 'many', input: { q: 2 } },
    '',
    '{"datasetName":',
    { datasetName: 'many', id: 'wrong', input: {} },
    { datasetName: 'none', id: 'b', input: { q: 1 } },
    { datasetName: 'many', id: 'taken', input: { q: 1 } },
    { datasetName: 'many', id: 'a', expectedOutput: 'two', status: 'ARCHIVED' },
    { datasetName: 'many', id: 'a', status: 'ACTIVE' },
    { id: 'c' },
    { datasetName: 'many', id: 'unknown-media', input: { q: '@@@svcMedia:type=image/png|id=AAAAAAAAAAAAAAAAAAAAAA|source=bytes@@@' } },
  ])
  expect(results.map(({ line, status }) => [line, status])).toEqual([
    ...[
      [1, 200],
      [2, 200],
      [4, 400],
      [5, 400],
      [6, 404],
      [7, 409],
      [8, 200],
      [9, 200],
      [10, 400],
      [11, 400],
    ],
  ])
  expect(results[3]!.message).toMatch(/^Dataset item validation failed: input/)
  const { data } = (await send('GET', '/dataset-items?datasetName=many')).json
  expect(data.map(({ id }: Result) => id).sort()).toEqual(['a', results[1]!.id].sort())
  expect((await send('GET', '/dataset-items/a')).json).toMatchObject({
    ...{ status: 'ACTIVE', input: { q: 12_345 }, expectedOutput: 'two', metadata: { deep: [1, null] }, datasetName: 'many' },
  })
  expect(await opened.audit('a')).toEqual(['create datasetItem', 'update datasetItem', 'update datasetItem'])
  const versions = await opened.store.db
    .selectFrom('dataset_items')
    .select(['valid_from', 'valid_to'])
    .where('id', '=', 'a')
    .orderBy('valid_from')
    .execute()
  expect(versions.map(({ valid_to }) => valid_to)).toEqual([versions[1]!.valid_from, versions[2]!.valid_from, null])
})

test('a deleted item can be recreated after its deletion', async () => {
  await send('POST', '/v2/datasets', { name: 'again' })
  for (let n = 0; n < 2; n++) {
    expect(await batch([{ datasetName: 'again', id: 'back', input: n }])).toEqual([{ line: 1, status: 200, id: 'back' }])
    expect((await send('GET', '/dataset-items/back')).json.input).toBe(n)
    expect((await send('DELETE', '/dataset-items/back')).status).toBe(200)
  }
})

test('concurrent batches and single requests for the same items leave one current version of each', async () => {
  await send('POST', '/v2/datasets', { name: 'contended' })
  const ids = Array.from({ length: 20 }, (_, at) => `contended-${at}`)
  const lines = (input: string) => ids.map(id => ({ datasetName: 'contended', id, input }))
  const work = [0, 1, 2, 3].map(n => batch(lines(`batch ${n}`)))
  const singles = ids.map(id => send('POST', '/dataset-items', { datasetName: 'contended', id, input: 'single' }))
  for (const results of await Promise.all(work)) for (const { status } of results) expect([200, 409]).toContain(status)
  for (const { status } of await Promise.all(singles)) expect([200, 409]).toContain(status)
  const open = opened.store.db.selectFrom('dataset_items').select('id').where('valid_to', 'is', null)
  expect((await open.where('id', 'in', ids).execute()).map(({ id }) => id).sort()).toEqual(ids.toSorted())
})

test('a body of another type gets 415, a line that is too long 413, and an empty body no results', async () => {
  expect((await send('POST', '/dataset-items/batch', '{}')).status).toBe(415)
  expect((await send('POST', '/dataset-items/batch', `${'x'.repeat(4_500_001)}`, ndjson)).status).toBe(413)
  expect(await batch([])).toEqual([])
})

test('a batch larger than one part is stored completely', async () => {
  await send('POST', '/v2/datasets', { name: 'many parts' })
  const results = await batch(
    Array.from({ length: 1_200 }, (_, at) => ({
      datasetName: 'many parts',
      id: `many-${at}`,
      input: { q: `question ${at}` },
      metadata: { at },
    })),
  )
  expect(results.filter(({ status }) => status !== 200)).toEqual([])
  const { meta, data } = (await send('GET', '/dataset-items?datasetName=many%20parts&limit=1&page=1200')).json
  expect([meta.totalItems, data.length]).toEqual([1_200, 1])
})

const count = sized(10_000, 2_000)
test(`of ${count} lines with CRLF and blank lines, every valid one is written and every broken one gets a reason`, async () => {
  await send('POST', '/v2/datasets', { name: 'all kinds', inputSchema: { type: 'object', required: ['q'] } })
  const kinds = [
    [(at: number) => JSON.stringify({ datasetName: 'all kinds', id: `t-${at}`, input: { q: at } }), 200],
    [() => '{"datasetName":"all kinds","input":', 400],
    [(at: number) => JSON.stringify({ datasetName: 'all kinds', id: `t-${at}`, input: [] }), 400],
    [(at: number) => JSON.stringify({ datasetName: 'no such', id: `t-${at}`, input: { q: at } }), 404],
    [(at: number) => `{"datasetName":"all kinds","id":"t-${at}","input":{"q":1e999}}`, 400],
    [() => ' \t', undefined],
  ] as const
  const kindOf = (at: number) => kinds[at % 100 < 5 ? (at % 100) + 1 : 0]!
  const body = Array.from({ length: count }, (_, at) => kindOf(at)[0](at)).join('\r\n')
  const answer = await send('POST', '/dataset-items/batch', body, ndjson)
  expect(answer.status).toBe(200)
  const results = answer.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Result)
  const expected = Array.from({ length: count }, (_, at) => [at + 1, kindOf(at)[1]] as const).filter(([, status]) => status !== undefined)
  expect(results.map(({ line, status }) => [line, status])).toEqual(expected)
  expect(results.filter(({ status, message }) => status !== 200 && !message)).toEqual([])
  const { meta, data } = (await send('GET', `/dataset-items?datasetName=all%20kinds&limit=100&page=${(0.95 * count) / 100}`)).json
  expect([meta.totalItems, data.length]).toEqual([0.95 * count, 100])
})
