import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handlers } from '../src/operations/index.ts'
import { type ApiTestOptions, basic, startApi, type TestApi } from './api.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const rowCount = 1_300
const observations = '/api/public/v2/observations'
const items = '/api/public/experiment-items?fromStartTime=2026-11-01T00:00:00Z'
const scores = '/api/public/v3/scores'

const span = (i: number) => ({
  ...{
    project_id: 'project-0',
    trace_id: `t${i % 11}`,
    span_id: `s${i}`,
    name: `span "${i}",\n`,
    type: 'SPAN',
    level: i % 4 === 0 ? 'ERROR' : 'DEFAULT',
  },
  ...{ start_time: `2026-11-01 00:00:0${i % 5}.00000${i % 10}`, event_ts: '2026-11-01 00:01:00.000000', input: `in ${i}` },
  ...{ experiment_id: 'e', experiment_name: 'x', experiment_item_id: `i${i}`, experiment_item_root_span_id: i % 2 === 0 ? `s${i}` : '' },
  ...{ experiment_item_metadata_names: ['k'], experiment_item_metadata_values: [`"${i}"`] },
})
const types = ['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION']
const score = (i: number) => ({
  ...{
    id: `score-${i}`,
    project_id: 'project-0',
    name: `n${i % 3}`,
    source: 'API',
    data_type: types[i % 5],
    value: i % 2,
    is_deleted: i % 17 === 0 ? 1 : 0,
  },
  ...{ string_value: i % 5 === 2 || i % 5 === 3 ? `label "${i}"` : null, long_string_value: i % 5 === 4 ? 'corrected\n' : '' },
  ...{ timestamp: `2026-11-01 00:00:00.00${i % 10}`, event_ts: '2026-11-01 00:01:00.000', comment: i % 3 === 0 ? null : `it's\n${i}` },
  ...{ trace_id: i % 4 === 0 ? null : 't', observation_id: i % 4 === 1 ? 'o' : null, session_id: i % 4 === 0 ? 's' : null },
  ...{ dataset_run_id: i % 8 === 7 ? 'run' : null, metadata: { a: 'text', n: '5', o: '{"b":\n[1]}' } },
})
const lines = (count: number, rowOf: (i: number) => object) => Array.from({ length: count }, (_, i) => JSON.stringify(rowOf(i))).join('\n')

let opened: ApiOnEngine
beforeAll(async () => {
  opened = await startOnEngine(async columnStore => {
    await columnStore.command(`INSERT INTO events_full FORMAT JSONEachRow ${lines(rowCount, span)}`)
    await columnStore.command(`INSERT INTO scores FORMAT JSONEachRow ${lines(700, score)}`)
    // The second insert has newer rows of the first 40 scores. The table's key contains the day of the timestamp. The newer rows have a
    // different day, so their keys differ from the keys of the first rows.
    await columnStore.command(
      `INSERT INTO scores FORMAT JSONEachRow ${lines(40, i => ({ ...score(i), timestamp: '2026-10-01 00:00:00', event_ts: '2026-11-02 00:00:00' }))}`,
    )
  })
})
afterAll(() => opened.close())

function sent(api: TestApi, path: string, accept: string, { method = 'GET', publicKey = 'pk-test' } = {}) {
  const headers = { authorization: basic(publicKey, 'sk-test'), accept }
  return new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: api.port, path, method, headers, agent: false }, resolve).on('error', reject).end()
  })
}

async function streamed(path: string, accept = 'application/x-ndjson') {
  const response = await sent(opened.api, path, accept)
  const bytes = await buffer(response)
  return { status: response.statusCode, headers: response.headers, trailers: response.trailers, bytes, text: bytes.toString() }
}

async function listed(path: string) {
  const data: unknown[] = []
  for (let cursor = ''; ; ) {
    const { json } = await opened.api.send('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`)
    data.push(...(json.data as unknown[]))
    if (!json.meta.cursor) return data
    cursor = `&cursor=${encodeURIComponent(json.meta.cursor as string)}`
  }
}

test.each([
  ['observations', `${observations}?fields=core,basic,io,metadata&level=ERROR`],
  ['experiment items', `${items}&fields=core,dataset,io,metadata,itemMetadata,experimentMetadata`],
  ['scores', `${scores}?fields=details,subject,annotation`],
  ['scores of one name', `${scores}?name=n1&dataType=NUMERIC&valueMin=1`],
])('a stream has the same elements as the pages, with count and checksum: %s', async (_, path) => {
  const [{ status, headers, trailers, bytes, text }, expected] = [await streamed(path), await listed(path)]
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson'])
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as unknown),
  ).toEqual(expected)
  expect(trailers).toEqual({ 'x-svc-rows': String(expected.length), 'x-svc-sha256': createHash('sha256').update(bytes).digest('hex') })
})

test('other formats contain the same rows', async () => {
  for (const path of [observations, items, `${scores}?fields=details,subject`]) {
    const { text } = await streamed(path)
    const rows = String(text.split('\n').length - 1)
    const csv = await streamed(path, 'text/csv')
    const parquet = await streamed(path, 'application/vnd.apache.parquet')
    expect([csv.trailers['x-svc-rows'], parquet.trailers['x-svc-rows']]).toEqual([rows, rows])
    expect(csv.text.split('\n', 1)[0]).toBe(
      Object.keys(JSON.parse(text.split('\n', 1)[0]!) as object)
        .map(name => `"${name}"`)
        .join(','),
    )
    expect([parquet.bytes.subarray(0, 4).toString(), parquet.bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
  }
})

test('the first supported media type applies, a limit caps the rows, and unsupported parameters are refused before the stream', async () => {
  expect((await streamed(observations, 'application/json, application/x-ndjson')).headers['content-type']).toContain('application/json')
  expect((await streamed(observations, 'Text/CSV;q=0.1, */*')).headers['content-type']).toBe('text/csv')
  const cut = await streamed(`${observations}?limit=1100`)
  expect([cut.trailers['x-svc-rows'], cut.text.split('\n').length]).toEqual(['1100', 1_101])
  for (const [path, message] of [
    [`${observations}?cursor=x`, /cursor/],
    [`${scores}?cursor=x`, /cursor/],
    [`${items}&cursor=x`, /cursor/],
    [`${items}&fields=scores`, /scores/],
    [`${observations}?limit=-1`, /Expected/],
    [`${observations}?filter=%7B`, /Invalid JSON/],
  ] as const) {
    const { status, text } = await streamed(path)
    expect([path, status, text]).toEqual([path, 400, expect.stringMatching(message)])
  }
  expect((await opened.api.send('GET', `${observations}?limit=1100`)).status).toBe(400)
  const head = await sent(opened.api, observations, 'text/csv', { method: 'HEAD' })
  expect([head.statusCode, head.headers['content-type'], (await buffer(head)).length]).toEqual([200, 'text/csv', 0])
})

test('every operation that may stream has a streaming handler', () => {
  const differing = handlers.filter(({ operation, stream }) => (operation.streamQuery === undefined) !== (stream === undefined))
  expect(differing.map(({ operation }) => operation.id)).toEqual([])
})

/** Starts another API on the engine of `opened`. The new API calls the given `queryBytes` to read the slices of a stream. */
const withSlices = (queryBytes: ColumnStore['queryBytes'], options: ApiTestOptions = {}) =>
  startApi({ ...options, columnStore: { query: opened.columnStore.query, queryBytes } as Pick<ColumnStore, 'query'> })

/** Each public key belongs to a project with the same name. */
const keyPerProject: ApiTestOptions['keys'] = {
  verify: async publicKey => ({ accessLevel: 'project', orgId: 'org', projectId: publicKey, apiKeyId: publicKey, publicKey }),
  pairOf: purpose => ({ publicKey: `pk-${purpose}`, secretKey: `sk-${purpose}` }),
}

test('a project has one stream at a time: a second one gets 429 with Retry-After', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  await using api = await withSlices(async (...asked) => {
    begun.resolve()
    await gate.promise
    return opened.columnStore.queryBytes(...asked)
  })
  const first = sent(api, observations, 'application/x-ndjson')
  await begun.promise
  const second = await api.send('GET', scores, { headers: { accept: 'text/csv' } })
  expect([second.status, second.json.code, Number(second.headers['retry-after'])]).toEqual([429, 'rate_limited', expect.any(Number)])
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
  expect((await api.send('GET', `${observations}?limit=1`)).status).toBe(200)
  gate.resolve()
  await buffer(await first)
  const third = await sent(api, scores, 'text/csv')
  expect([third.statusCode, (await buffer(third)).length]).toEqual([200, expect.any(Number)])
})

test('a process has four streams at a time: a fifth one gets 503 with Retry-After', async () => {
  const gate = Promise.withResolvers<void>()
  const allBegun = Promise.withResolvers<void>()
  let begun = 0
  // These projects have no rows, so each stream reads only one slice.
  const slice: ColumnStore['queryBytes'] = async (...asked) => {
    if (++begun === 4) allBegun.resolve()
    await gate.promise
    return opened.columnStore.queryBytes(...asked)
  }
  await using api = await withSlices(slice, { keys: keyPerProject })
  const first = ['p1', 'p2', 'p3', 'p4'].map(publicKey => sent(api, observations, 'application/x-ndjson', { publicKey }))
  await allBegun.promise
  const authorization = basic('p5', 'sk')
  const fifth = await api.send('GET', observations, { authorization, headers: { accept: 'text/csv' } })
  expect([fifth.status, Number(fifth.headers['retry-after']) > 0]).toEqual([503, true])
  expect(await api.metric('svc_api_refused_total', { reason: 'at_capacity' })).toBe(1)
  expect((await api.send('GET', `${observations}?limit=1`, { authorization })).status).toBe(200)
  gate.resolve()
  for (const response of await Promise.all(first)) expect([response.statusCode, (await buffer(response)).length]).toEqual([200, 0])
  const next = await sent(api, observations, 'text/csv', { publicKey: 'p5' })
  expect([next.statusCode, (await buffer(next)).length]).toEqual([200, expect.any(Number)])
})

test('a client that reads nothing for the idle time is cut, and its project can start a stream again', async () => {
  // This line is larger than all buffers of the connection.
  const line = Buffer.from(`${'x'.repeat(32 * 1024 * 1024)}\n`)
  let slices = 0
  const slice: ColumnStore['queryBytes'] = (...asked) => (slices++ === 0 ? Promise.resolve(line) : opened.columnStore.queryBytes(...asked))
  await using api = await withSlices(slice, { env: { SVC_BODY_TIMEOUT_MS: '100' } })
  const unread = await sent(api, `${observations}?limit=1`, 'application/x-ndjson')
  expect(unread.statusCode).toBe(200)
  await waitFor(async () => (await api.metric('svc_api_streams_total', { outcome: 'cut' })) === 1, { what: 'the cut' })
  await expect(buffer(unread)).rejects.toThrow(/aborted|ECONNRESET/)
  expect((await sent(api, `${observations}?limit=1`, 'application/x-ndjson')).statusCode).toBe(200)
})

test('a failure of the store before the first row causes an error status, and a later failure resets the stream', async () => {
  let slices = 0
  await using api = await withSlices((...asked) =>
    slices++ === 1 ? Promise.reject(new AppError('column_store_unavailable', 'gone')) : opened.columnStore.queryBytes(...asked),
  )
  const response = await sent(api, observations, 'application/x-ndjson')
  expect(response.statusCode).toBe(200)
  await expect(buffer(response)).rejects.toThrow(/aborted|ECONNRESET/)
  expect(await api.metric('svc_api_streams_total', { outcome: 'cut' })).toBe(1)
  slices = 1
  expect((await sent(api, observations, 'application/x-ndjson')).statusCode).toBe(503)
})

test('the query ends when its client disconnects', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  await using api = await withSlices(async (_sql, _format, _params, { signal } = {}) => {
    asked.resolve(signal!)
    await once(signal!, 'abort')
    throw signal!.reason
  })
  const headers = { authorization: basic('pk-test', 'sk-test'), accept: 'text/csv' }
  const request = httpRequest({ host: '127.0.0.1', port: api.port, path: observations, headers }).on('error', () => {})
  request.end()
  const signal = await asked.promise
  request.destroy()
  if (!signal.aborted) await once(signal, 'abort')
  await expect.poll(() => api.metric('svc_api_streams_total', { outcome: 'left' })).toBe(1)
})

test('a process that drains cuts its streams', async () => {
  const asked = Promise.withResolvers<void>()
  let slices = 0
  await using api = await withSlices(async (...of) => {
    if (slices++ === 0) return opened.columnStore.queryBytes(...of)
    asked.resolve()
    const { signal } = of[3] ?? {}
    await once(signal!, 'abort')
    throw signal!.reason
  })
  const response = await sent(api, observations, 'application/x-ndjson')
  if (response.statusCode !== 200) expect((await buffer(response)).toString()).toBe('a stream')
  const cut = expect(buffer(response)).rejects.toThrow(/aborted|ECONNRESET/)
  await asked.promise
  await Promise.all([api.drain(), cut])
})
