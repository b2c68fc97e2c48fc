// Measures the CPU cost per span, from reading the record on the log to the merge of the row. The bench first measures the writer. It then
// measures the engine alone, which inserts prebuilt blocks. At the end, it measures the tables of the incumbent (the product that svc
// replaces). The result also contains the CPU time of the writer's threads during the warm-up (`coldThreadsMsPer1000`). Run `npm run bench
// -- drain -- [--log embedded|kafka] [--bodies generated|recorded] [--rows N] [--warm-rows N] [--rounds N] [--chunk-rows N] [--fetch-bytes
// N]`.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readRange } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { createChunkEncoder, type EncodedChunk } from '@svc-server/observations/block/chunk-encoder'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { partsOf, processCpuMs, temporaryDirectory, threadCpuMs, untilMerged, waitFor } from '@svc-server/testkit'
import { createEventsWriter } from '../src/app.ts'
import { type WriterConfig, writerConfig, writerVariables } from '../src/settings.ts'
import { type BodyKind, bodyKinds, createBodies } from './bodies.ts'
import { fill, gated, openLog } from './filled-log.ts'
import { incumbentInsertSettings, incumbentStatements } from './incumbent.ts'

const { values } = parseArgs({
  options: {
    log: { type: 'string', default: 'embedded' },
    bodies: { type: 'string', default: 'generated' },
    rows: { type: 'string', default: '100000' },
    'chunk-rows': { type: 'string' },
    'fetch-bytes': { type: 'string' },
    // Number of spans that the writer stores before the measurement. The measured writer is warm, like a production writer that has run for
    // weeks. Warm code is twice as fast as cold code.
    'warm-rows': { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const logs = ['embedded', 'kafka']
if (values.help || !logs.includes(values.log) || !bodyKinds.includes(values.bodies as BodyKind)) {
  process.stdout.write(
    `--log ${logs.join('|')}  --bodies ${bodyKinds.join('|')}  --rows N (100000)  --warm-rows N (60000)  --rounds N (1)  --chunk-rows N  --fetch-bytes N\n`,
  )
  process.exit(values.help ? 0 : 2)
}
const bodies = values.bodies as BodyKind
const [wantedRows, wantedWarmRows, rounds] = [values.rows, values['warm-rows'], values.rounds].map(Number) as [number, number, number]
const [measured, warming] = [0, 1]
const password = 'bench'
const MiB = 1024 * 1024

const profile = values.log === 'kafka' ? 'remote' : 'embedded'
const chunkRows = Number(values['chunk-rows'])
const fetchBytes = Number(values['fetch-bytes'])
const config: WriterConfig = {
  ...writerConfig(loadSettings([writerVariables], {}, { service: 'bench', profile }).of(writerVariables)),
  ...(chunkRows > 0 && { chunkMaxRows: chunkRows, chunkMaxBytes: 512 * MiB, chunkMaxWork: 1e9 }),
  ...(fetchBytes > 0 && { fetchMinBytes: fetchBytes, fetchMaxBytes: fetchBytes }),
}
const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })
const silent = createLogger({ service: 'bench', level: 'silent' })

async function withEngine<T>(run: (engine: Engine, columnStore: ColumnStore) => Promise<T>): Promise<T> {
  await using directory = await temporaryDirectory('svc-bench-engine-')
  const engine = await startEngine({ dataDir: directory.path, port: 0, password })
  const columnStore = createColumnStore({
    url: engine.url,
    user: engine.user,
    password,
    database: engine.database,
    requestTimeoutMs: 300_000,
  })
  try {
    return await run(engine, columnStore)
  } finally {
    await columnStore.close()
    await engine.stop()
  }
}

interface Chunk {
  readonly first_offset: string
  readonly last_offset: string
}

const chunksOf = (columnStore: ColumnStore, partition: number): Promise<Chunk[]> =>
  columnStore.query<Chunk>(
    'SELECT first_offset, last_offset FROM ingest_ledger FINAL WHERE topic = {topic:String} AND partition = {partition:UInt32} ORDER BY first_offset',
    { topic: topicNames.direct, partition },
  )

async function rebuilt(log: EventLog, partition: number, chunks: readonly Chunk[]): Promise<EncodedChunk[]> {
  const encoder = createChunkEncoder({ catalog })
  const blocks: EncodedChunk[] = []
  for (const { first_offset: first, last_offset: last } of chunks) {
    const records: LogRecord[] = []
    const range = { topic: topicNames.direct, partition, from: Number(first), until: Number(last) + 1 }
    for await (const batch of readRange(log, range, 64 * MiB)) records.push(...batch.records)
    blocks.push(encoder.encode(records.map(({ value, ...position }) => ({ ...position, value: value! }))))
  }
  return blocks
}

type Threads = Readonly<Record<string, number>>

interface Cost {
  /** CPU time of the engine until all merges have ended, in ms per 1,000 rows. */
  readonly engine: number
  readonly js: number
  readonly threads: Threads
  /**
   * CPU time of the engine for one forced merge of all rows, in ms per 1,000 rows. After the forced merge, all rows of each compared table
   * are in one part. The tables are then in the same state, so the sum of `engine` and `forcedPass` is comparable between the tables.
   */
  readonly forcedPass: number
  readonly seconds: number
  readonly parts: Awaited<ReturnType<typeof partsOf>>
}

const per1000 = (ms: number, rows: number) => (ms / rows) * 1000
const since = (before: Threads, after: Threads, rows: number): Threads =>
  Object.fromEntries(Object.entries(after).map(([role, ms]) => [role, Math.round(per1000(ms - before[role]!, rows) * 10) / 10]))

async function measure(engine: Engine, columnStore: ColumnStore, database: string, rows: number, work: () => Promise<void>): Promise<Cost> {
  const before = { engine: processCpuMs(engine.pid!), js: process.cpuUsage(), threads: threadCpuMs(process.pid), at: performance.now() }
  await work()
  const js = process.cpuUsage(before.js)
  const threads = since(before.threads, threadCpuMs(process.pid), rows)
  const seconds = (performance.now() - before.at) / 1000
  await untilMerged(columnStore)
  const merged = processCpuMs(engine.pid!)
  const parts = await partsOf(columnStore, database)
  const [month] = await columnStore.query<{ id: string }>(
    "SELECT partition_id AS id FROM system.parts WHERE active AND database = {database:String} AND table = 'events_full' ORDER BY id DESC LIMIT 1",
    { database },
  )
  for (const table of ['events_full', 'events_core'])
    await columnStore.command(`OPTIMIZE TABLE ${database}.${table} PARTITION ID '${month!.id}' FINAL`)
  const forced = processCpuMs(engine.pid!)
  return {
    engine: per1000(merged - before.engine, rows),
    js: per1000((js.user + js.system) / 1000, rows),
    threads,
    forcedPass: per1000(forced - merged, rows),
    seconds,
    parts,
  }
}

const drain = (log: EventLog, rows: number, warmRows: number, logCpuMs: () => number) =>
  withEngine(async (engine, columnStore) => {
    await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
    const gate = gated(log, measured)
    const metrics = createMetricRegistry({ runtime: false })
    const bug = Promise.withResolvers<never>()
    const deps = { log: gate.log, columnStore, logger: silent, metrics, health: createHealth(), clock: Date.now, onBug: bug.reject }
    const writer = createEventsWriter(config, { ...deps, catalog: () => catalog })
    const drained = (partition: number) => {
      const empty = async () => (await log.lag()).every(lag => lag.partition !== partition || lag.lagRecords === 0)
      return Promise.race([waitFor(empty, { what: 'the drain', timeoutMs: 3_600_000, everyMs: 50 }), bug.promise])
    }
    const atStart = threadCpuMs(process.pid)
    await writer.start()
    await drained(warming)
    const cold = since(atStart, threadCpuMs(process.pid), warmRows)
    await untilMerged(columnStore)
    const logBefore = logCpuMs()
    const cost = await measure(engine, columnStore, engine.database, rows, async () => {
      gate.open()
      await drained(measured)
    })
    const logMs = per1000(logCpuMs() - logBefore, rows)
    const chunks = { warm: await chunksOf(columnStore, warming), measured: await chunksOf(columnStore, measured) }
    await writer.drain()
    return { ...cost, cold, logMs, chunks }
  })

const insertAll = async (columnStore: ColumnStore, table: string, chunks: readonly EncodedChunk[], settings = {}) => {
  for (const [index, { columns, body, hash }] of chunks.entries())
    await columnStore.insert({ table, columns, body, token: `${index}/${hash}`, settings })
}

const alone = (rows: number, warm: readonly EncodedChunk[], chunks: readonly EncodedChunk[]) =>
  withEngine(async (engine, columnStore) => {
    await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
    await insertAll(columnStore, 'events_full', warm)
    await untilMerged(columnStore)
    return measure(engine, columnStore, engine.database, rows, () => insertAll(columnStore, 'events_full', chunks))
  })

/**
 * Measures inserts into tables like those of the incumbent (the product that svc replaces). The measurement excludes the conversion of
 * svc's columns to the incumbent's column types.
 */
const incumbent = (rows: number, warm: readonly EncodedChunk[], chunks: readonly EncodedChunk[]) =>
  withEngine(async (engine, columnStore) => {
    for (const sql of incumbentStatements('incumbent', eventsColumns)) await columnStore.command(sql)
    await columnStore.command(
      `CREATE TABLE incumbent.discard_ours (${eventsColumns.map(({ name, type }) => `${name} ${type}`).join(', ')}) ENGINE = Null`,
    )
    const reading = async (table: string) => {
      const before = processCpuMs(engine.pid!)
      await insertAll(columnStore, `incumbent.${table}`, chunks, incumbentInsertSettings)
      return per1000(processCpuMs(engine.pid!) - before, rows)
    }
    await insertAll(columnStore, 'incumbent.events_full', warm, incumbentInsertSettings)
    await untilMerged(columnStore)
    const conversion = Math.max(0, (await reading('discard')) - (await reading('discard_ours')))
    const cost = await measure(engine, columnStore, 'incumbent', rows, () =>
      insertAll(columnStore, 'incumbent.events_full', chunks, incumbentInsertSettings),
    )
    return { ...cost, engine: cost.engine - conversion, conversion }
  })

const rounded = (value: number) => Math.round(value * 100) / 100
const shown = ({ engine, js, forcedPass, seconds, parts }: Cost, rows: number) => ({
  engineMsPer1000: rounded(engine),
  jsMsPer1000: rounded(js),
  forcedPassMsPer1000: rounded(forcedPass),
  rowsPerSecond: Math.round(rows / seconds),
  parts,
})
const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

const results = []
for (let round = 0; round < rounds; round++) {
  const { log, cpuMs, close } = await openLog(values.log)
  const { spans: rows, decodedBytes } = await fill(log, measured, wantedRows, createBodies(bodies, 'measured', Date.now() - 3_600_000))
  // The warm-up rows are in a different month than the measured rows. The engine therefore never merges them with the measured rows.
  const { spans: warmRows } = await fill(log, warming, wantedWarmRows, createBodies(bodies, 'warming', Date.now() - 62 * 86_400_000))
  const writer = await drain(log, rows, warmRows, cpuMs)
  const [warm, blocks] = [await rebuilt(log, warming, writer.chunks.warm), await rebuilt(log, measured, writer.chunks.measured)]
  results.push({
    rows,
    decodedBytes,
    writer,
    blocks: blocks.length,
    alone: await alone(rows, warm, blocks),
    incumbent: await incumbent(rows, warm, blocks),
  })
  await close()
}

const first = results[0]!
console.log(
  JSON.stringify(
    {
      bench: 'drain',
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
      log: values.log,
      bodies,
      rows: first.rows,
      rounds,
      decodedBytesPerRow: Math.round(first.decodedBytes / first.rows),
      inserts: first.blocks,
      rowsPerInsert: Math.round(first.rows / first.blocks),
      writer: {
        ...shown(first.writer, first.rows),
        threadsMsPer1000: first.writer.threads,
        coldThreadsMsPer1000: first.writer.cold,
        ...(values.log === 'kafka' && { brokerMsPer1000: rounded(first.writer.logMs) }),
      },
      engineAlone: shown(first.alone, first.rows),
      incumbent: { ...shown(first.incumbent, first.rows), conversionMsPer1000: rounded(first.incumbent.conversion) },
      ratios: {
        writerAndEngineToEngineAlone: rounded(middle(results.map(r => (r.writer.engine + r.writer.js) / r.alone.engine))),
        writerAndEngineToEngineAloneWithOnePassMore: rounded(
          middle(results.map(r => (r.writer.engine + r.writer.js + r.writer.forcedPass) / (r.alone.engine + r.alone.forcedPass))),
        ),
        engineToIncumbent: rounded(middle(results.map(r => r.writer.engine / r.incumbent.engine))),
        engineToIncumbentWithOnePassMore: rounded(
          middle(results.map(r => (r.writer.engine + r.writer.forcedPass) / (r.incumbent.engine + r.incumbent.forcedPass))),
        ),
      },
    },
    null,
    2,
  ),
)
