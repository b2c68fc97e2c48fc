import { isAppError, isRetryable } from '@svc-server/errors'
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createColumnStore } from '../../src/client.ts'
import { block, insertOf, openTestStore, password, type TestStore } from './store.ts'

let it: TestStore
beforeAll(async () => {
  it = await openTestStore()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})
beforeEach(async () => {
  it.proxy.heal()
  for (const name of ['t_mv', 't', 't_core']) await it.direct.command(`DROP TABLE IF EXISTS ${name} SYNC`)
  const settings = 'SETTINGS non_replicated_deduplication_window = 100'
  await it.direct.command(
    `CREATE TABLE t (a UInt64, d Date, b String) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(d) ORDER BY a ${settings}`,
  )
  await it.direct.command(`CREATE TABLE t_core (a UInt64, b String) ENGINE = ReplacingMergeTree ORDER BY a ${settings}`)
})

const count = async (table = 't', final = ''): Promise<number> =>
  Number((await it.direct.query<{ c: string }>(`SELECT count() AS c FROM ${table} ${final}`))[0]?.c)
const codeOf = async (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    error => {
      if (!isAppError(error)) throw error
      return error.code
    },
  )

test('a query has at most as many threads as the options allow', async () => {
  const limited = createColumnStore({
    url: it.engine.url,
    user: 'svc',
    password,
    database: 'svc',
    requestTimeoutMs: 60_000,
    maxReadThreads: 3,
  })
  onTestFinished(() => limited.close())
  const threads = "SELECT toString(getSetting('max_threads')) AS threads"
  expect(await limited.query(threads)).toEqual([{ threads: '3' }])
  expect(String(await limited.queryBytes(threads, 'TSVRaw'))).toBe('3\n')
})

describe('inserting', () => {
  test('one Native block becomes one part with the same bytes', async () => {
    await it.store.insert(insertOf('t', [2570, 2, 3], 'T', { body: block([2570, 2, 3], { b: '\n\n;\0é' }) }))
    expect(await it.direct.query('SELECT a, b FROM t ORDER BY a LIMIT 1 OFFSET 2')).toEqual([{ a: '2570', b: '\n\n;\0é' }])
    expect(await it.direct.query("SELECT rows FROM system.parts WHERE table = 't' AND active")).toEqual([{ rows: '3' }])
  })

  test('no session keeps a token: two inserts with one token store one block, and the next statement runs without the insert’s settings', async () => {
    await it.store.insert(insertOf('t', [1], 'T1'))
    await it.store.insert(insertOf('t', [1], 'T1'))
    await it.store.insert(insertOf('t', [1], 'T2'))
    expect(await count()).toBe(2)
    const settings = "SELECT getSetting('insert_deduplication_token') AS token, toString(getSetting('optimize_on_insert')) AS o"
    expect(await it.store.query(settings)).toEqual([{ token: '', o: 'true' }])
  })

  test('a retry with the same token also fills a view whose insert failed', async () => {
    await it.direct.command(
      "CREATE MATERIALIZED VIEW t_mv TO t_core AS SELECT a, if(a = 7, throwIf(1, 'view fails')::String, b) AS b FROM t",
    )
    const request = insertOf('t', [7, 8], 'T')
    expect(await codeOf(it.store.insert(request))).not.toBeNull()
    await it.direct.command('DROP TABLE t_mv SYNC')
    await it.direct.command('CREATE MATERIALIZED VIEW t_mv TO t_core AS SELECT a, b FROM t')
    await it.store.insert(request)
    await it.store.insert(request)
    expect([await count('t'), await count('t_core')]).toEqual([2, 2])
  })

  test('concurrent inserts do not mix their tokens', async () => {
    const numbers = Array.from({ length: 30 }, (_, n) => n)
    await Promise.all(numbers.flatMap(n => [it.store.insert(insertOf('t', [n], `T${n}`)), it.store.insert(insertOf('t', [n], `T${n}`))]))
    expect(await count()).toBe(30)
  })
})

describe('network and server faults', () => {
  test('F08 · a lost response is column_store_unavailable, the rows are stored, and the retry adds none', async () => {
    it.proxy.failInserts({ kind: 'drop-answer' })
    const request = insertOf('t', [1, 2], 'T')
    expect(await codeOf(it.store.insert(request))).toBe('column_store_unavailable')
    expect(await count()).toBe(2)
    await it.store.insert(request)
    expect(await count()).toBe(2)
  })

  test('F08 · a late response is column_store_unavailable although the rows are stored', async () => {
    const hurried = createColumnStore({ url: it.proxy.url, user: 'svc', password, database: 'svc', requestTimeoutMs: 100 })
    let answer = () => {}
    it.proxy.failInserts({ kind: 'delay-answer', until: new Promise<void>(resolve => (answer = resolve)) })
    expect(await codeOf(hurried.insert(insertOf('t', [1], 'T')))).toBe('column_store_unavailable')
    await waitFor(async () => (await count()) === 1, { what: 'the row to be stored' })
    answer()
    await hurried.close()
  })

  test('F41 · a response reports success although nothing is stored: only a probe detects the loss', async () => {
    it.proxy.failInserts({ kind: 'swallow' })
    await it.store.insert(insertOf('t', [1], 'T/1'))
    expect(await it.store.query('SELECT a FROM t WHERE a = {a:UInt64}', { a: 1 })).toEqual([])
    await it.store.insert(insertOf('t', [1], 'T/2'))
    expect(await it.store.query('SELECT a FROM t WHERE a = {a:UInt64}', { a: 1 })).toEqual([{ a: '1' }])
  })

  test.each([
    ['F13', 241, 'MEMORY_LIMIT_EXCEEDED', '(total) memory limit exceeded: would use 3 GiB', 'column_store_overloaded'],
    ['F13', 252, 'TOO_MANY_PARTS', 'Too many parts (3000) in table', 'column_store_overloaded'],
    ['F16', 252, 'TOO_MANY_PARTS', 'Too many partitions for single INSERT block (more than 100)', 'column_store_partitions'],
    ['F36', 243, 'NOT_ENOUGH_SPACE', 'Cannot reserve 1 MiB', 'column_store_overloaded'],
    ['F36', 242, 'TABLE_IS_READ_ONLY', 'Table is in readonly mode', 'column_store_unavailable'],
    ['-', 202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries', 'column_store_overloaded'],
    ['-', 497, 'ACCESS_DENIED', 'Not enough privileges', 'column_store_auth'],
    ['-', 99_999, 'OF_NEXT_YEAR', 'Unheard of', 'column_store_unavailable'],
    ['-', 241, 'MEMORY_LIMIT_EXCEEDED', 'Query memory limit exceeded: would use 3 GiB', 'column_store_refused'],
    ['-', 191, 'SET_SIZE_LIMIT_EXCEEDED', 'The body is larger than 1073741824 bytes after decompression', 'column_store_refused'],
    ['-', 117, 'INCORRECT_DATA', 'Incorrect data', 'column_store_refused'],
    ['-', 469, 'VIOLATED_CONSTRAINT', 'Constraint c is violated', 'column_store_refused'],
  ])('%s · %i %s (%s) is %s', async (_id, code, type, message, expected) => {
    it.proxy.failInserts({ kind: 'exception', code, type, message })
    expect(await codeOf(it.store.insert(insertOf('t', [1], 'T')))).toBe(expected)
    await it.store.insert(insertOf('t', [1], 'T'))
    expect(await count()).toBe(1)
  })

  const statements: Record<string, (code: number, type: string) => Promise<unknown>> = {
    insert: () => it.store.insert(insertOf('t', [1], 'T')),
    ledger: () => it.store.command('INSERT INTO t (a, d, b) SELECT {a:UInt64}, today(), {b:String}', { a: 1, b: 'x' }),
    probe: () => it.store.query('SELECT a FROM t WHERE a = {a:UInt64}', { a: 1 }),
    identity: () => it.store.identify(),
  }
  const passing: readonly [code: number, type: string][] = [
    [23, 'CANNOT_READ_FROM_ISTREAM'],
    [24, 'CANNOT_WRITE_TO_OSTREAM'],
    [40, 'CHECKSUM_DOESNT_MATCH'],
    [49, 'LOGICAL_ERROR'],
    [76, 'CANNOT_OPEN_FILE'],
    [159, 'TIMEOUT_EXCEEDED'],
    [160, 'TOO_SLOW'],
    [173, 'CANNOT_ALLOCATE_MEMORY'],
    [198, 'DNS_ERROR'],
    [201, 'QUOTA_EXCEEDED'],
    [210, 'NETWORK_ERROR'],
    [218, 'TABLE_IS_DROPPED'],
    [225, 'NO_ZOOKEEPER'],
    [243, 'NOT_ENOUGH_SPACE'],
    [290, 'LIMIT_EXCEEDED'],
    [364, 'RECEIVED_ERROR_TOO_MANY_REQUESTS'],
    [369, 'ALL_REPLICAS_ARE_STALE'],
    [373, 'SESSION_IS_LOCKED'],
    [425, 'SYSTEM_ERROR'],
    [499, 'S3_ERROR'],
    [695, 'ASYNC_LOAD_FAILED'],
    [733, 'TABLE_IS_BEING_RESTARTED'],
    [745, 'SERVER_OVERLOADED'],
    [999, 'KEEPER_EXCEPTION'],
    [1000, 'POCO_EXCEPTION'],
    [1001, 'STD_EXCEPTION'],
    [98_765, 'OF_NEXT_YEAR'],
  ]
  test.each(Object.keys(statements))('F48 · the %s is retried after any temporary failure of the server', async name => {
    const retried: Record<string, boolean> = {}
    for (const [code, type] of passing) {
      it.proxy.onRequest(() => ({ kind: 'exception', code, type, message: 'Temporary failure in name resolution' }))
      const error = await statements[name]!(code, type).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      retried[`${code} ${type}`] = isRetryable(error)
    }
    it.proxy.heal()
    expect(retried).toEqual(Object.fromEntries(passing.map(([code, type]) => [`${code} ${type}`, true])))
  })

  test.each([
    ['ledger', 16, 'NO_SUCH_COLUMN_IN_TABLE', 'column_store_query'],
    ['ledger', 60, 'UNKNOWN_TABLE', 'column_store_query'],
    ['probe', 47, 'UNKNOWN_IDENTIFIER', 'column_store_query'],
    ['probe', 497, 'ACCESS_DENIED', 'column_store_auth'],
    ['insert', 16, 'NO_SUCH_COLUMN_IN_TABLE', 'column_store_data'],
  ])('%s is not retryable: %i %s', async (name, code, type, expected) => {
    it.proxy.onRequest(() => ({ kind: 'exception', code, type, message: 'No' }))
    expect(await codeOf(statements[name]!(code, type))).toBe(expected)
    it.proxy.heal()
  })

  test('a 413 of a proxy is column_store_refused for an insert and column_store_unavailable for a query', async () => {
    const tooLarge = { kind: 'status', status: 413, body: '<html>413 Request Entity Too Large</html>' } as const
    it.proxy.failInserts(tooLarge)
    expect(await codeOf(it.store.insert(insertOf('t', [1], 'T')))).toBe('column_store_refused')
    it.proxy.onRequest(() => tooLarge)
    expect(await codeOf(it.store.query('SELECT 1'))).toBe('column_store_unavailable')
    it.proxy.heal()
  })

  test('F12 · a missing server, a broken connection and a 502 of a proxy are column_store_unavailable', async () => {
    it.proxy.failInserts(
      { kind: 'refuse' },
      { kind: 'status', status: 502, body: '<html>Bad gateway</html>' },
      { kind: 'status', status: 503 },
    )
    for (let n = 0; n < 3; n++) expect(await codeOf(it.store.insert(insertOf('t', [1], 'T')))).toBe('column_store_unavailable')
    const nobody = createColumnStore({ url: 'http://127.0.0.1:1', user: 'svc', password, database: 'svc', requestTimeoutMs: 1000 })
    expect(await codeOf(nobody.insert(insertOf('t', [1], 'T')))).toBe('column_store_unavailable')
    expect(await codeOf(nobody.identify())).toBe('column_store_unavailable')
    await nobody.close()
  })
})

describe('errors of the server', () => {
  test('a schema mismatch is column_store_data', async () => {
    expect(await codeOf(it.store.insert(insertOf('nowhere', [1], 'T')))).toBe('column_store_data')
    expect(await codeOf(it.store.insert(insertOf('t', [1], 'T', { columns: ['a', 'd', 'nothing'] })))).toBe('column_store_data')
    expect(await codeOf(it.store.insert(insertOf('t', [1], 'T', { settings: { no_such_setting: 1 } })))).toBe('column_store_data')
    await it.direct.command('CREATE OR REPLACE TABLE t (a UInt64, d Date, b UInt8) ENGINE = MergeTree ORDER BY a')
    expect(await codeOf(it.store.insert(insertOf('t', [1], 'T')))).toBe('column_store_data')
  })

  test('a wrong query is column_store_query, a memory limit is overload, and a wrong password is column_store_auth', async () => {
    expect(await codeOf(it.store.query('SELECT nothing'))).toBe('column_store_query')
    expect(await codeOf(it.store.command('SELEC 1'))).toBe('column_store_query')
    const greedy = 'SELECT length(groupArray(number)) FROM numbers(10000000) SETTINGS max_memory_usage = 1000000'
    expect(await codeOf(it.store.query(greedy))).toBe('column_store_overloaded')
    const stranger = createColumnStore({ url: it.engine.url, user: 'svc', password: 'wrong', database: 'svc', requestTimeoutMs: 1000 })
    expect(await codeOf(stranger.query('SELECT 1'))).toBe('column_store_auth')
    await stranger.close()
  })
})

test.each([false, true])('the next read sees an update of rows: lightweight %s', async lightweightUpdates => {
  const blocks = 'enable_block_number_column = 1, enable_block_offset_column = 1'
  await it.direct.command(`CREATE TABLE t_mv (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS ${blocks}`)
  await it.direct.command("INSERT INTO t_mv VALUES (1, 'x'), (2, 'x')")
  const options = { url: it.engine.url, user: 'svc', password, database: 'svc', requestTimeoutMs: 30_000, lightweightUpdates }
  const store = createColumnStore(options)
  await store.update({ table: 't_mv', set: 'b = {b:String}', where: 'a = {a:UInt64}', params: { b: "it's", a: 2 } })
  expect(await store.query('SELECT b FROM t_mv ORDER BY a')).toEqual([{ b: 'x' }, { b: "it's" }])
  expect(await codeOf(store.update({ table: 't_mv', set: 'c = 1', where: '1' }))).not.toBeNull()
  await store.close()
})

test('a statement without FORMAT returns its text', async () => {
  expect((await it.store.ask('CHECK GRANT SELECT ON svc.*')).trim()).toBe('1')
  expect(await codeOf(it.store.ask('CHECK GRANT NOTHING'))).toBe('column_store_query')
})

test('a query that is aborted before it has a socket does not end a later query on that socket', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const store = createColumnStore({ url: it.engine.url, user: 'svc', password, database: 'svc', requestTimeoutMs: 30_000 })
  await store.query('SELECT 1')
  const left = new AbortController()
  const aborted = store.query('SELECT 1', undefined, { signal: left.signal })
  left.abort(new Error('The client left'))
  await expect(aborted).rejects.toThrow('The client left')
  const running = store.query('SELECT sleep(1)', undefined, { settings: { log_comment: 'on the socket of both' } })
  const isRunning = "SELECT 1 FROM system.processes WHERE Settings['log_comment'] LIKE 'on the socket of both%'"
  await waitFor(async () => (await it.direct.query(isRunning)).length === 1, { what: 'the query to run' })
  vi.advanceTimersByTime(2_500)
  expect(await running).toHaveLength(1)
  await store.close()
})

test('64-bit integers and parameters come back exactly', async () => {
  const [row] = await it.store.query('SELECT toUInt64(18446744073709551615) AS n, {s:String} AS s', { s: "it's\n" })
  expect(row).toEqual({ n: '18446744073709551615', s: "it's\n" })
})

test('a list of ids too long for a URL can still be queried', async () => {
  const ids = Array.from({ length: 1_000 }, (_, n) => `${n}'`.padEnd(32, 'ü'))
  expect(await it.direct.query('SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[1000] AS last', { ids })).toEqual([
    { n: '1000', last: ids.at(-1) },
  ])
})

test('the identity stays the same while the engine runs and changes with another engine process', async () => {
  const before = await it.store.identify()
  expect(await it.direct.identify()).toEqual(before)
  process.kill(it.engine.pid!, 'SIGKILL')
  const after = await waitFor(async () => (it.engine.restarts === 1 ? it.store.identify() : null), { what: 'the engine to come back' })
  expect(after.version).toBe(before.version)
  expect(after.startedAt).not.toBe(before.startedAt)
})
