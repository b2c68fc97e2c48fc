// Measures large reads through the API, each as a ratio to its bare SQL statements in the same run, and an NDJSON stream against the
// engine's own. npm run bench -- reads -- [--rows 200000|2000000|20000000] [--rounds 15] [--data DIR]. Rows have 1.5 KB and span 30 days,
// and a quarter belongs to one project.
import { request as httpRequest } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ColumnStore, OutputFormat, ReadRequest } from '@svc-server/column-store/port'
import { basic, startApi } from '../test/api.ts'
import { startOnEngine } from '../test/on-engine.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '15' }, data: { type: 'string' } },
})
const [rowCount, rounds] = [Number(values.rows), Number(values.rounds)]
const day = 86_400_000
const end = Math.floor(Date.now() / day) * day
const start = end - 30 * day
const insertRows = 50_000

/** Words from a vocabulary, chosen by a number: the texts compress like prose. */
const prose = (seed: string, words: number) =>
  `arrayStringConcat(arrayMap(i -> concat(hex(bitAnd(cityHash64(i, ${seed}), 4095)), 'word'), range(${words})), ' ')`

/** Root, call and tool of each trace. One project has a quarter of the traces, and twelve projects share the others. */
const insert = (
  from: number,
  count: number,
  where = '1',
) => `INSERT INTO events_full (project_id, trace_id, span_id, parent_span_id, start_time, end_time, name, type,
  environment, level, user_id, session_id, provided_model_name, usage_details, cost_details, input, output, metadata_names, metadata_values, metadata_types,
  event_ts)
  SELECT if(t % 4 = 0, 'project-0', concat('other-', toString(t % 12))), lower(hex(sipHash128(t))), lower(hex(cityHash64(n))),
    if(n % 3 = 0, '', lower(hex(cityHash64(n - n % 3)))), fromUnixTimestamp64Milli(${start} + toInt64(cityHash64(t) % ${30 * day}) + n % 3 * 40, 'UTC') AS s,
    s + toIntervalMillisecond(cityHash64(n) % 4000), ['answer', 'chat', 'search'][n % 3 + 1], ['SPAN', 'GENERATION', 'TOOL'][n % 3 + 1],
    'default', if(n % 50 = 0, 'ERROR', 'DEFAULT'), if(t % 40000 = 0, 'rare', concat('user-', toString(t % 5000))), concat('session-', toString(intDiv(t, 20))),
    if(n % 3 = 1, concat('model-', toString(t % 12)), ''), map('input', n % 4000, 'output', n % 700, 'total', n % 4000 + n % 700),
    map('total', toDecimal64(n % 100 / 1000, 12)), ${prose('n', 70)}, ${prose('n + 1', 50)}, ['plan', 'region', 'attempt'], ['pro', 'eu', toString(n % 5)], [0, 0, 1],
    now64(6)
  FROM (SELECT number AS n, intDiv(number, 3) AS t FROM numbers(${from}, ${count})) WHERE ${where}`

interface Statement {
  readonly sql: string
  readonly format?: OutputFormat
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly settings: ReadRequest['settings']
}
let captured: Statement[] | undefined

/** Records the statements of one request. */
const noting = (store: ColumnStore): Pick<ColumnStore, 'query'> => {
  const note = (statement: Statement) => void captured?.push(statement)
  const noted: Pick<ColumnStore, 'query' | 'queryBytes'> = {
    query(sql, params, request) {
      note({ sql, params, settings: request?.settings })
      return store.query(sql, params, request)
    },
    queryBytes(sql, format, params, request) {
      note({ sql, format, params, settings: request?.settings })
      return store.queryBytes(sql, format, params, request)
    },
  }
  return noted
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
const rounded = (number: number) => Number(number.toFixed(2))

/** One key in a hundred has three versions. Existing data in the directory is reused, and reads begin when its merges have ended. */
async function fill(columnStore: ColumnStore): Promise<void> {
  const counted = async (from: string) =>
    Number((await columnStore.query<{ readonly n: string }>(`SELECT count() AS n FROM ${from}`))[0]!.n)
  const stored = await counted('events_core')
  for (let from = stored; from < rowCount; from += insertRows)
    await columnStore.command(insert(from, Math.min(insertRows, rowCount - from)))
  const step = 100 * insertRows
  const starts = stored < rowCount ? Array.from({ length: Math.ceil(rowCount / step) }, (_, i) => i * step) : []
  for (const from of [...starts, ...starts]) await columnStore.command(insert(from, Math.min(step, rowCount - from), 'n % 100 = 0'))
  while ((await counted('system.merges')) > 0) await setTimeout(1_000)
}

const engine = await startOnEngine(fill, { dataDir: values.data })
const { columnStore } = engine
const api = await startApi({ columnStore: noting(columnStore) })
const traceId = (
  await columnStore.query<{ readonly id: string }>(
    "SELECT trace_id AS id FROM events_core WHERE project_id = 'project-0' ORDER BY start_time LIMIT 1 OFFSET 1000",
  )
)[0]!.id
const [fromTime, toTime] = [new Date(start).toISOString(), new Date(end).toISOString()]
const range = `fromStartTime=${fromTime}&toStartTime=${toTime}`
const observations = '/api/public/v2/observations'
const metrics = {
  view: 'observations',
  metrics: ['totalCost', 'totalTokens']
    .map(measure => ({ measure, aggregation: 'sum' }))
    .concat([{ measure: 'latency', aggregation: 'p95' }]),
  dimensions: [{ field: 'providedModelName' }],
  timeDimension: { granularity: 'day' },
  config: { row_limit: 1_000 },
  ...{ fromTimestamp: fromTime, toTimestamp: toTime },
}
const reads: Readonly<Record<string, string>> = {
  'first page of roots': `${observations}?${range}&isRootObservation=true`,
  'first page of everything': `${observations}?${range}`,
  'page of a rare user': `${observations}?${range}&userId=rare`,
  'trace by id': `${observations}?traceId=${traceId}&limit=1000&fields=core,basic,time,io,metadata,model,usage`,
  'a month of days by model': `/api/public/v2/metrics?query=${encodeURIComponent(JSON.stringify(metrics))}`,
}

/** Milliseconds and bytes of one request, whose body is discarded. */
function requested(path: string, accept = 'application/json') {
  const startedMs = performance.now()
  return new Promise<{ readonly ms: number; readonly bytes: number; readonly rows: number }>((resolve, reject) => {
    const headers = { authorization: basic('pk-test', 'sk-test'), accept }
    httpRequest({ host: '127.0.0.1', port: api.port, path, headers }, response => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(`${path} ${response.statusCode}`))
        resolve({ ms: performance.now() - startedMs, bytes, rows: Number(response.trailers['x-svc-rows'] ?? 0) })
      })
    })
      .on('error', reject)
      .end()
  })
}

async function bare(statements: readonly Statement[]): Promise<number> {
  const startedMs = performance.now()
  for (const { sql, format, params, settings } of statements) {
    const request = settings === undefined ? {} : { settings }
    await (format === undefined ? columnStore.query(sql, params, request) : columnStore.queryBytes(sql, format, params, request))
  }
  return performance.now() - startedMs
}

const results: Record<string, object> = {}
for (const [name, path] of Object.entries(reads)) {
  captured = []
  await requested(path)
  const statements = captured
  captured = undefined
  const times: { readonly api: number; readonly bare: number }[] = []
  for (let round = 0; round < rounds; round++) times.push({ api: (await requested(path)).ms, bare: await bare(statements) })
  const [apiMs, bareMs] = [median(times.map(each => each.api)), median(times.map(each => each.bare))]
  results[name] = { apiMs: rounded(apiMs), bareMs: rounded(bareMs), ratio: rounded(apiMs / bareMs), statements: statements.length }
  process.stdout.write(`${name.padEnd(26)} ${JSON.stringify(results[name])}\n`)
}

// The engine's own stream: the same columns of the same rows, unordered, in batches of days with about 100 MB each.
let peakRss = 0
const sampling = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 100)
const beforeRss = process.memoryUsage.rss()
captured = []
const streamed = await requested(`${observations}?${range}&fields=core,basic,io,model,usage`, 'application/x-ndjson')
clearInterval(sampling)
const slice = captured.findLast(({ format }) => format !== undefined)!
captured = undefined
const columns = /^SELECT ([\s\S]*) FROM events_full AS e FINAL WHERE/.exec(slice.sql)![1]!
let ownMs = 0
let ownBytes = 0
const days = Math.max(1, Math.min(30, Math.floor((30 * 100e6) / streamed.bytes))) * day
for (let from = start; from < end; from += days) {
  const startedMs = performance.now()
  const sql = `SELECT ${columns} FROM events_full AS e FINAL WHERE e.project_id = 'project-0'
    AND e.start_time >= fromUnixTimestamp64Milli(${from}, 'UTC') AND e.start_time < fromUnixTimestamp64Milli(${Math.min(from + days, end)}, 'UTC')`
  ownBytes += (await columnStore.queryBytes(sql, 'TSVRaw', slice.params, slice.settings === undefined ? {} : { settings: slice.settings }))
    .length
  ownMs += performance.now() - startedMs
}
results['stream'] = {
  rows: streamed.rows,
  megabytes: Math.round(streamed.bytes / 1e6),
  apiMs: Math.round(streamed.ms),
  ownMs: Math.round(ownMs),
  ratio: rounded(streamed.ms / streamed.bytes / (ownMs / ownBytes)),
  rowsPerSecond: Math.round(streamed.rows / (streamed.ms / 1000)),
  rssGrowthMegabytes: Math.round((peakRss - beforeRss) / 1e6),
}
process.stdout.write(`${'stream of NDJSON'.padEnd(26)} ${JSON.stringify(results['stream'])}\n`)

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`
process.stdout.write(`${JSON.stringify({ bench: 'reads', machine, rows: rowCount, rounds, results })}\n`)
await api[Symbol.asyncDispose]()
await engine.close()
