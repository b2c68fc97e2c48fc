// Measures large reads through the API. The bench compares the time of each read with the time of its SQL statements alone. It compares an
// NDJSON stream of the API with a stream of the engine. Run `npm run bench -- reads -- [--rows 200000|2000000|20000000] [--rounds 30]
// [--share 1] [--data DIR]`. The bench generates the rows once per directory (`event-rows.ts`). With `--share 0.1`, the reads return only
// rows of the newest tenth of the time range.
import { once } from 'node:events'
import { connect } from 'node:net'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { ColumnStore, OutputFormat, ReadRequest } from '@svc-server/column-store/port'
import { quantile, temporaryDirectory } from '@svc-server/testkit'
import { basic, startApi } from '../test/api.ts'
import { startOnEngine } from '../test/on-engine.ts'
import { countRows, fillDirectory, spanMs, stopMerges } from './event-rows.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '30' },
    share: { type: 'string', default: '1' },
    data: { type: 'string' },
  },
})
const [rowCount, rounds] = [Number(values.rows), Number(values.rounds)]

interface Statement {
  readonly sql: string
  readonly format?: OutputFormat
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly settings: ReadRequest['settings']
}
let captured: Statement[] | undefined

/** Wraps a store, so that the bench can capture the statements of a request. */
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

const rounded = (number: number) => Number(number.toFixed(2))

await using temporary = await temporaryDirectory('svc-reads-')
const dataDir = values.data ?? temporary.path
await fillDirectory(dataDir, rowCount)
const engine = await startOnEngine(stopMerges, { dataDir })
const { columnStore } = engine
const found = await countRows(columnStore, 'events_core')
const parts = await countRows(columnStore, "system.parts WHERE active AND database = 'svc' AND table = 'events_core'")
const [month] = await columnStore.query<{ readonly ms: string }>(
  'SELECT toUnixTimestamp(toStartOfMonth(min(start_time))) * 1000 AS ms FROM events_core',
)
const oldest = Number(month!.ms)
const end = oldest + spanMs
const start = end - spanMs * Number(values.share)
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

/**
 * Returns the milliseconds and bytes of one response, and the row count in its trailer. The client reads into one buffer and parses only
 * the status and the trailer. The bench therefore measures mainly the server.
 */
async function requested(path: string, accept = 'application/json') {
  const startedMs = performance.now()
  const [edgeBytes, buffer] = [2_048, Buffer.alloc(256 * 1024)]
  let [bytes, head, tail] = [0, '', '']
  const socket = connect({
    host: '127.0.0.1',
    port: api.port,
    onread: {
      buffer,
      callback(length) {
        bytes += length
        if (head.length < edgeBytes) head += buffer.toString('latin1', 0, Math.min(length, edgeBytes))
        tail = (tail + buffer.toString('latin1', Math.max(0, length - edgeBytes), length)).slice(-edgeBytes)
        return true
      },
    },
  })
  const headers = [`Host: 127.0.0.1`, `Authorization: ${basic('pk-test', 'sk-test')}`, `Accept: ${accept}`, 'Connection: close']
  socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`${path} ${head.split('\r\n', 1)[0]}`)
  return { ms: performance.now() - startedMs, bytes, rows: Number(/^x-svc-rows: (\d+)/m.exec(tail)?.[1] ?? 0) }
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
  const ofApi = times.map(each => each.api)
  const [apiMs, bareMs] = [
    quantile(ofApi, 0.5),
    quantile(
      times.map(each => each.bare),
      0.5,
    ),
  ]
  const figures = {
    p50Ms: rounded(apiMs),
    p95Ms: rounded(quantile(ofApi, 0.95)),
    bareP50Ms: rounded(bareMs),
    ratio: rounded(apiMs / bareMs),
  }
  results[name] = { ...figures, statements: statements.length }
  process.stdout.write(`${name.padEnd(26)} ${JSON.stringify(results[name])}\n`)
}

// For comparison, the bench reads the same columns directly from the engine, in batches of about 100 MB, newest first. The bench stops
// reading when the batches have at least as many bytes as the API's response. The engine does not sort the rows of a batch.
let peakRss = 0
const sampling = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 100)
const beforeRss = process.memoryUsage.rss()
captured = []
const streamed = await requested(`${observations}?${range}&fields=core,basic,io,model,usage&limit=1000000`, 'application/x-ndjson')
clearInterval(sampling)
const slice = captured.findLast(({ format }) => format !== undefined)!
captured = undefined
const columns = /^SELECT ([\s\S]*) FROM events_full AS e FINAL WHERE/.exec(slice.sql)![1]!
const ofProject = await countRows(columnStore, "events_core WHERE project_id = 'project-0'")
const batchMs = Math.ceil((spanMs * 100e6 * streamed.rows) / (streamed.bytes * ofProject))
let ownMs = 0
let ownBytes = 0
for (let to = end; to > start && ownBytes < streamed.bytes; to -= batchMs) {
  const startedMs = performance.now()
  const sql = `SELECT ${columns} FROM events_full AS e FINAL WHERE e.project_id = 'project-0'
    AND e.start_time >= fromUnixTimestamp64Milli(${Math.max(to - batchMs, start)}, 'UTC') AND e.start_time < fromUnixTimestamp64Milli(${to}, 'UTC')`
  ownBytes += (await columnStore.queryBytes(sql, 'TSVRaw', slice.params, slice.settings === undefined ? {} : { settings: slice.settings }))
    .length
  ownMs += performance.now() - startedMs
}
results['stream'] = {
  rows: streamed.rows,
  megabytes: Math.round(streamed.bytes / 1e6),
  apiMs: Math.round(streamed.ms),
  ownMs: Math.round((ownMs * streamed.bytes) / ownBytes),
  ratio: rounded(streamed.ms / streamed.bytes / (ownMs / ownBytes)),
  rowsPerSecond: Math.round(streamed.rows / (streamed.ms / 1000)),
  rssGrowthMegabytes: Math.round((peakRss - beforeRss) / 1e6),
}
process.stdout.write(`${'stream of NDJSON'.padEnd(26)} ${JSON.stringify(results['stream'])}\n`)

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`
process.stdout.write(`${JSON.stringify({ bench: 'reads', machine, rows: found, parts, rounds, results })}\n`)
await api[Symbol.asyncDispose]()
await engine.close()
