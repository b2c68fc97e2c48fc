import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { authorization, password, startTestEngine, type TestEngine } from './engine.ts'

let it: TestEngine
beforeAll(async () => {
  it = await startTestEngine({ maxInsertBytes: 2_000_000, maxQueryBytes: 200_000 })
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await it.post('CREATE OR REPLACE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a')
})
const stored = async () => (await it.post('SELECT a, b FROM t ORDER BY a, b')).text

/** Sends a request with any headers. `fetch` does not allow some headers. */
const raw = (path: string, headers: Record<string, string>, method = 'GET'): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port: it.engine.port, path, method, headers }, async res =>
      resolve({ status: res.statusCode ?? 0, body: await text(res) }),
    )
    req.on('error', reject).end()
  })

describe('authentication', () => {
  test('ping needs no password, and every other request does', async () => {
    expect(await raw('/ping', {})).toEqual({ status: 200, body: 'Ok.\n' })
    expect((await raw('/?query=SELECT+1', {})).status).toBe(401)
    expect((await it.post('SELECT 1', {}, { authorization: `Basic ${btoa('svc:no')}` })).status).toBe(403)
    expect((await it.post('SELECT 1', { user: 'default', password: '' }, {})).headers.get('x-clickhouse-exception-code')).toBe('516')
  })
  test('Basic, headers and URL carry the password', async () => {
    expect((await it.post('SELECT 1')).text).toBe('1\n')
    expect((await it.post('SELECT 1', { user: 'svc', password }, {})).text).toBe('1\n')
    const ascii = await startTestEngine({ password: 'plain' })
    const answer = await ascii.post('SELECT 1', {}, { 'x-clickhouse-user': 'svc', 'x-clickhouse-key': 'plain' })
    await ascii[Symbol.asyncDispose]()
    expect(answer.text).toBe('1\n')
  })
  test('a foreign Host (DNS rebinding) or a foreign Origin is refused, even for ping', async () => {
    const own = `127.0.0.1:${it.engine.port}`
    const status = async (headers: Record<string, string>) => (await raw('/ping', headers)).status
    expect(await status({ host: `evil.example:${it.engine.port}` })).toBe(403)
    expect(await status({ host: '127.0.0.1:1' })).toBe(403)
    expect(await status({ host: `127.0.0.1.evil.example:${it.engine.port}` })).toBe(403)
    expect(await status({ host: `localhost:${it.engine.port}` })).toBe(200)
    expect(await status({ host: own, origin: 'http://evil.example' })).toBe(403)
    expect(await status({ host: own, origin: 'null' })).toBe(403)
    expect(await status({ host: own, origin: `http://${own}` })).toBe(200)
  })
})

test('within the default memory limit, a read of a table takes more than one thread', async () => {
  await it.post('INSERT INTO t SELECT number, toString(number) FROM numbers(1000000)')
  const { text } = await it.post('EXPLAIN PIPELINE SELECT sum(a) FROM t SETTINGS max_threads = 2')
  expect(text).toContain('AggregatingTransform × 2')
})

test('a query id of the caller cannot break the response header that repeats it', async () => {
  const pid = it.engine.pid
  expect((await raw('/?query_id=%0A', {})).status).toBe(401)
  const answer = await it.post('SELECT 1', { query_id: 'a\nb\u2028ü' })
  expect([answer.status, answer.headers.get('x-clickhouse-query-id')]).toEqual([200, 'a?b??'])
  expect((await it.post('SELECT 1', { default_format: 'TSV\nX-Other: 1' })).status).toBe(400)
  expect(it.engine.pid).toBe(pid)
})

describe('inserts', () => {
  const json = Buffer.from('{"a":1,"b":"x"}\n\n\n{"a":2,"b":"y"}\n')
  test.each([
    ['identity', json],
    ['gzip', gzipSync(json)],
    ['zstd', zstdCompressSync(json)],
    ['deflate', deflateSync(json)],
  ])('%s body', async (encoding, body) => {
    const answer = await it.post(
      new Uint8Array(body),
      { query: 'INSERT INTO t FORMAT JSONEachRow' },
      { authorization, 'content-encoding': encoding },
    )
    expect(answer.status).toBe(200)
    expect(await stored()).toBe('1\tx\n2\ty\n')
  })
  test('a body with a second compressed frame is refused and not stored in part', async () => {
    const frames = Buffer.concat([zstdCompressSync('{"a":1,"b":"x"}\n'), zstdCompressSync('{"a":2,"b":"y"}\n')])
    const headers = { authorization, 'content-encoding': 'zstd' }
    const answer = await it.post(new Uint8Array(frames), { query: 'INSERT INTO t FORMAT JSONEachRow' }, headers)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('CANNOT_DECOMPRESS')])
    expect(await stored()).toBe('')
  })
  test.each([
    ['INSERT INTO t FORMAT TSV\n1\tx\n2\ty\n', {}],
    ["INSERT INTO t VALUES (1, 'x'), (1 + 1, lower('Y'));", {}],
    ["(2, 'y')", { query: "INSERT INTO t VALUES (1, 'x')," }],
    ["INSERT INTO t (b, a) SELECT 'x', 1 UNION ALL SELECT 'y', 2", {}],
    [
      '{"a":1,"b":"x"}{"a":2,"b":"y"}',
      { query: 'INSERT INTO t SETTINGS max_threads = 1 FORMAT JSONEachRow', input_format_skip_unknown_fields: '1' },
    ],
  ])('%j with %j', async (body, search) => {
    expect(await it.post(body, search as Record<string, string>)).toMatchObject({ status: 200 })
    expect(await stored()).toBe('1\tx\n2\ty\n')
  })
  test('a body that is too large, malformed or truncated stores nothing and leaves no file', async () => {
    const query = 'INSERT INTO t FORMAT JSONEachRow'
    expect((await it.post(new Uint8Array(3_000_000).fill(32), { query })).status).toBe(413)
    expect((await it.post('{"a":"no"}', { query })).status).toBe(400)
    expect(
      (await it.post(new Uint8Array(gzipSync(json).subarray(0, 20)), { query }, { authorization, 'content-encoding': 'gzip' })).status,
    ).toBe(400)
    expect((await it.post('{}', { query }, { authorization, 'content-encoding': 'br' })).status).toBe(501)
    const cutOff = new Promise(resolve => {
      const path = `/?query=${encodeURIComponent(query)}`
      const req = request({
        host: '127.0.0.1',
        port: it.engine.port,
        path,
        method: 'POST',
        headers: { authorization, 'content-length': 1000 },
      })
      req.on('error', resolve)
      req.write('{"a":1,"b":"x"}\n', () => req.destroy())
    })
    await cutOff
    expect((await it.post('SELECT 1')).text).toBe('1\n')
    expect(await stored()).toBe('')
    await waitFor(async () => (await readdir(join(it.directory, 'spool'))).length === 0, { what: 'the file of the cut-off body to go' })
  })
  test('inserts by GET, and any change by GET, are refused', async () => {
    for (const query of ['INSERT INTO t VALUES (1, 2)', 'DROP TABLE t', 'INSERT INTO t SELECT 1, 2'])
      expect(await raw(`/?query=${encodeURIComponent(query)}`, { authorization })).toMatchObject({
        status: 500,
        body: expect.stringContaining('READONLY'),
      })
    expect((await raw('/?query=SELECT%201&max_threads=1', { authorization })).body).toBe('1\n')
  })
})

describe('responses', () => {
  test('have the requested format, headers and compression', async () => {
    const answer = await it.post(
      'SELECT 1 AS a',
      { default_format: 'JSONCompact', query_id: 'q-1', enable_http_compression: '1' },
      { authorization, 'accept-encoding': 'gzip' },
    )
    expect(JSON.parse(answer.text).data).toEqual([[1]])
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('content-type')).toBe('application/json; charset=UTF-8')
    expect(answer.headers.get('x-clickhouse-query-id')).toBe('q-1')
    expect(JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '').read_rows).toBe('1')
    expect((await it.post('SELECT 1 AS a FORMAT CSVWithNames')).text).toBe('"a"\n1\n')
  })
  test('two statements, sessions and unknown settings are refused with their name', async () => {
    expect(await it.post('SELECT 1; SELECT 2')).toMatchObject({ status: 400, text: expect.stringContaining('Multi-statements') })
    expect(await it.post('SELECT 1', { session_id: 's' })).toMatchObject({ status: 501, text: expect.stringContaining('session_id') })
    expect(await it.post('SELECT 1', { no_such_setting: '1' })).toMatchObject({
      status: 404,
      text: expect.stringContaining('UNKNOWN_SETTING'),
    })
    expect(await it.post('SELECT 1', { "x'; DROP": '1' })).toMatchObject({ status: 400 })
    expect(await it.post(`SELECT 1 ${' '.repeat(300_000)}`)).toMatchObject({ status: 413 })
  })
})

describe('the engine itself gives no access to files or the network, even for a statement that deceives the guard', () => {
  test.each([
    ["SELECT file('/etc/hostname')", {}],
    ["SELECT * FROM url('http://127.0.0.1:1/', TSV, 'a String')", {}],
    ['SELECT * FROM default.`/etc/hostname`', {}],
    ['SELECT * FROM `/etc/hostname`', {}],
    ["INSERT INTO t VALUES (1, file('/etc/hostname'))", {}],
    ["(1, file('/etc/hostname'))", { query: 'INSERT INTO t FORMAT Values' }],
    ["INSERT INTO t SELECT 1, raw FROM file('/etc/hostname', 'LineAsString', 'raw String')", {}],
    ['SELECT 1', { dialect: 'prql' }],
    ['SELECT 1', { input_format_values_interpret_expressions: '1' }],
    ["SELECT * FROM format(Values, 'a String', '(file(\\'/etc/hostname\\'))')", {}],
    ["SELECT * FROM format(Values, 'a String', '(concat(file(\\'/etc/hostname\\'), \\'\\'))')", {}],
    ['CREATE USER x', {}],
    ['SYSTEM SHUTDOWN', {}],
    ["CREATE TABLE x (a String) ENGINE = MergeTree ORDER BY a SETTINGS disk = 'x'", {}],
  ])('%s %j', async (sql, search) => {
    const answer = await it.post(sql, search as Record<string, string>)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain('Code: 49.')
    expect(await stored()).toBe('')
  })
})
