import { Readable } from 'node:stream'
import { createClient } from '@clickhouse/client'
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { password, startTestEngine, type TestEngine } from './engine.ts'

let it: TestEngine
beforeAll(async () => {
  it = await startTestEngine()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await it.client.command({ query: 'CREATE OR REPLACE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a' })
})

const rows = async (query = 'SELECT * FROM t ORDER BY a') => (await it.client.query({ query, format: 'JSONEachRow' })).json()

test('ping works with and without a query', async () => {
  expect(await it.client.ping()).toEqual({ success: true })
  expect(await it.client.ping({ select: true })).toEqual({ success: true })
})

test('parameters may be as long as statements', async () => {
  const text = "'".repeat(1_000_000)
  const given = { query_params: { text }, use_multipart_params: true, clickhouse_settings: { max_query_size: '67108864' } } as const
  const result = await it.client.query({ query: 'SELECT length({text:String}) AS length', format: 'JSONEachRow', ...given })
  expect(await result.json()).toEqual([{ length: text.length }])
})

test('blank lines and SQL inside inserted text are stored as text', async () => {
  const b = "x\n\ny'); DROP TABLE t; --\r\n"
  const { summary } = await it.client.insert({ table: 't', values: [{ a: 1, b }], format: 'JSONEachRow' })
  expect(summary?.written_rows).toBe('1')
  expect(await rows()).toEqual([{ a: 1, b }])
})

test('a compressed client inserts a stream and reads compressed', async () => {
  const client = createClient({
    url: it.engine.url,
    username: 'svc',
    password,
    database: 'svc',
    compression: { request: true, response: true },
  })
  await client.insert({
    table: 't',
    values: Readable.from([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]),
    format: 'JSONEachRow',
  })
  const result = await client.query({ query: 'SELECT number, toString(number) AS s FROM numbers(200000)', format: 'JSONCompactEachRow' })
  expect((await result.json()).length).toBe(200_000)
  await client.close()
  expect(await rows()).toHaveLength(2)
})

test('binary bodies arrive unchanged, in all 256 byte values', async () => {
  const text = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const row = Buffer.concat([Buffer.from([10, 10, 0, 0, 0, 0, 0, 0]), Buffer.from([0x80, 2]), text])
  const { stream } = await it.client.exec({
    query: 'INSERT INTO t FORMAT RowBinary',
    values: Readable.from([row.subarray(0, 5), row.subarray(5)]),
  })
  stream.resume()
  expect(await rows('SELECT a, hex(b) AS h FROM t')).toEqual([{ a: 2570, h: text.toString('hex').toUpperCase() }])
})

test('parameters keep quotes, line breaks, arrays, maps, dates and null', async () => {
  const params = {
    s: 'it\'s a \\ \n\t\0 `"{x:String}; SELECT 2',
    l: ["a'b", 'c\n'],
    m: { "k'": 'v\\' },
    d: new Date('2026-11-21T10:11:12Z'),
    n: null,
  }
  const result = await it.client.query({
    query: 'SELECT {s:String} AS s, {l:Array(String)} AS l, {m:Map(String, String)} AS m, {d:DateTime} AS d, {n:Nullable(String)} AS n',
    query_params: params,
    format: 'JSONEachRow',
  })
  expect(await result.json()).toEqual([{ s: params.s, l: params.l, m: params.m, d: '2026-11-21 10:11:12', n: null }])
})

test('parameters too long for a URL arrive as multipart', async () => {
  const long = `${'ü'.repeat(20_000)}'\r\n--x`
  const result = await it.client.query({
    query: 'SELECT {p:String} AS p',
    query_params: { p: long },
    format: 'JSONEachRow',
    use_multipart_params: true,
  })
  expect(await result.json()).toEqual([{ p: long }])
})

test('16 statements at the same time each have separate settings, database and parameters', async () => {
  await it.client.command({ query: 'CREATE DATABASE IF NOT EXISTS other' })
  const ask = async (n: number) => {
    const result = await it.client.query({
      query: n % 3 === 0 ? "SELECT toUInt64(getSetting('max_block_size')) AS v" : 'SELECT {p:UInt64} AS v',
      clickhouse_settings: n % 2 === 0 ? { max_block_size: String(1000 + n) } : {},
      ...(n % 3 === 0 ? {} : { query_params: { p: n } }),
      format: 'JSONEachRow',
    })
    return Number((await result.json<{ v: number }>())[0]?.v)
  }
  const numbers = Array.from({ length: 96 }, (_, n) => n)
  const expected = numbers.map(n => (n % 3 !== 0 ? n : n % 2 === 0 ? 1000 + n : 65_409))
  expect(await Promise.all(numbers.map(ask))).toEqual(expected)
})

test('an insert token does not outlive its request', async () => {
  await it.client.command({ query: 'ALTER TABLE t MODIFY SETTING non_replicated_deduplication_window = 100' })
  const insert = (a: number, token?: string) =>
    it.client.insert({
      table: 't',
      values: [{ a, b: '' }],
      format: 'JSONEachRow',
      ...(token ? { clickhouse_settings: { insert_deduplication_token: token } } : {}),
    })
  await insert(1, 'T')
  await insert(1, 'T')
  await insert(2)
  await insert(3)
  expect(await rows('SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
})

test('SET and USE end with their request, even after errors', async () => {
  await it.client.command({ query: 'SET max_block_size = 7' })
  await it.client.command({ query: 'USE system' })
  await expect(it.client.query({ query: 'SELECT nothing', clickhouse_settings: { max_block_size: '8' } })).rejects.toMatchObject({
    code: '47',
  })
  expect(await rows("SELECT toUInt64(getSetting('max_block_size')) AS v, currentDatabase() AS d")).toEqual([{ v: 65_409, d: 'svc' }])
})

test('errors have the code, the name and the status that ClickHouse uses', async () => {
  await expect(it.client.query({ query: 'SELECT * FROM nowhere' })).rejects.toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' })
  const { status, text, headers } = await it.post('SELECT * FROM nowhere')
  expect([status, headers.get('x-clickhouse-exception-code')]).toEqual([404, '60'])
  expect(text).toMatch(/^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\) \(version /)
  expect((await it.post('SELEC 1')).status).toBe(400)
  expect((await it.post('SELECT throwIf(1)')).status).toBe(400)
})

test('a query is cancelled when its caller disconnects', async () => {
  const leave = new AbortController()
  const gone = it.client
    .query({ query: 'SELECT count() FROM numbers(1e13) WHERE cityHash64(number) = 1', abort_signal: leave.signal })
    .catch(() => 'gone')
  const running = () =>
    rows("SELECT count() AS c FROM system.processes WHERE query LIKE '%1e13%' AND query NOT LIKE '%processes%'") as Promise<{ c: number }[]>
  await waitFor(async () => (await running())[0]?.c === 1, { what: 'the query to run' })
  leave.abort()
  expect(await gone).toBe('gone')
  await waitFor(async () => (await running())[0]?.c === 0, { what: 'the query to be cancelled' })
})
