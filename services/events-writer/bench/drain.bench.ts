// What a stored span costs, from the log to merged parts: the writer draining a filled log, the engine alone on the same blocks
// prebuilt, and the incumbent's tables on the same blocks.
// npm run bench -- drain -- [--log embedded|kafka] [--rows N] [--chunk-rows N] [--warm-rows N] [--rounds N]
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import type { EventLog, LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { createChunkEncoder, type EncodedChunk } from '@svc-server/observations/block/chunk-encoder'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { cutChunks } from '@svc-server/stream/chunk'
import { envelopeOf, withPayload } from '@svc-server/stream/envelope'
import { partsOf, processCpuMs, temporaryDirectory, untilMerged, waitFor } from '@svc-server/testkit'
import { createEventsWriter } from '../src/app.ts'
import { type WriterConfig, writerConfig, writerVariables } from '../src/settings.ts'
import { fill, gated, openLog } from './filled-log.ts'
import { incumbentInsertSettings, incumbentStatements } from './incumbent.ts'

const { values } = parseArgs({
  options: {
    log: { type: 'string', default: 'embedded' },
    rows: { type: 'string', default: '100000' },
    'chunk-rows': { type: 'string', default: '40000' },
    // A writer runs for weeks, and compiled code is twice as fast as new code.
    'warm-rows': { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const logs = ['embedded', 'kafka']
if (values.help || !logs.includes(values.log)) {
  process.stdout.write(
    '--log embedded|kafka (embedded)  --rows N (100000)  --chunk-rows N (40000)  --warm-rows N (60000)  --rounds N (1)\n',
  )
  process.exit(values.help ? 0 : 2)
}
const rows = Number(values.rows)
const chunkRows = Number(values['chunk-rows'])
const warmRows = Number(values['warm-rows'])
const rounds = Number(values.rounds)
const [measured, warming] = [0, 1]
const password = 'bench'
const MiB = 1024 * 1024

const config: WriterConfig = {
  ...writerConfig(loadSettings([writerVariables], {}, { service: 'bench', profile: 'embedded' }).of(writerVariables)),
  chunkMaxRows: chunkRows,
  chunkMaxBytes: 512 * MiB,
  chunkMaxWork: 1e9,
  // One fetch, so that the writer cuts the blocks that are prebuilt for the engine alone.
  fetchMinBytes: 1024 * MiB,
  fetchMaxBytes: 1024 * MiB,
}
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

/** The blocks that the writer makes of this log, made beforehand. */
async function prebuilt(log: EventLog, partition: number): Promise<EncodedChunk[]> {
  const encoder = createChunkEncoder()
  const records: LogRecord[] = []
  let nextOffset = 0
  for (let read = -1; nextOffset > read; ) {
    read = nextOffset
    const batch = await log.read(topicNames.direct, partition, nextOffset, 1024 * MiB)
    records.push(...batch.records)
    nextOffset = batch.nextOffset
  }
  const finished = records.map(record => {
    const envelope = envelopeOf(record)
    return { envelope, result: { kind: 'emit', envelope: withPayload(envelope, decodeSpanBatch(envelope.raw)) } as const }
  })
  const range = { topic: topicNames.direct, partition, first: 0, last: nextOffset - 1 }
  const chunks = cutChunks(range, finished, { maxRows: chunkRows, maxBytes: 512 * MiB, maxWork: 1e9 }, ({ spanCount, decodedBytes }) => ({
    rows: spanCount,
    bytes: decodedBytes,
    work: 0,
  }))
  return chunks.map(chunk => encoder.encode(chunk.items.map(({ position, raw }) => ({ ...position, value: raw }))))
}

interface Cost {
  /** Engine CPU until no merge is left, ms per 1,000 rows. */
  readonly engine: number
  /** CPU of this process over the same time, and the part of it that was on the event loop. */
  readonly js: number
  readonly loop: number
  /** Engine CPU of one more pass over all rows, so that tables can be compared at an equal number of passes. */
  readonly forcedPass: number
  readonly seconds: number
  readonly parts: Awaited<ReturnType<typeof partsOf>>
}

const per1000 = (ms: number) => (ms / rows) * 1000

async function measure(engine: Engine, columnStore: ColumnStore, database: string, work: () => Promise<void>): Promise<Cost> {
  const before = { engine: processCpuMs(engine.pid!), js: process.cpuUsage(), loop: process.threadCpuUsage(), at: performance.now() }
  await work()
  const js = process.cpuUsage(before.js)
  const loop = process.threadCpuUsage(before.loop)
  const seconds = (performance.now() - before.at) / 1000
  await untilMerged(columnStore)
  const merged = processCpuMs(engine.pid!)
  const parts = await partsOf(columnStore, database)
  // The measured month only; the other one has other rows.
  const [month] = await columnStore.query<{ id: string }>(
    "SELECT partition_id AS id FROM system.parts WHERE active AND database = {database:String} AND table = 'events_full' ORDER BY id DESC LIMIT 1",
    { database },
  )
  for (const table of ['events_full', 'events_core'])
    await columnStore.command(`OPTIMIZE TABLE ${database}.${table} PARTITION ID '${month!.id}' FINAL`)
  const forced = processCpuMs(engine.pid!)
  return {
    engine: per1000(merged - before.engine),
    js: per1000((js.user + js.system) / 1000),
    loop: per1000((loop.user + loop.system) / 1000),
    forcedPass: per1000(forced - merged),
    seconds,
    parts,
  }
}

const drain = (log: EventLog, logCpuMs: () => number) =>
  withEngine(async (engine, columnStore) => {
    await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
    const gate = gated(log, measured)
    const metrics = createMetricRegistry({ runtime: false })
    const bug = Promise.withResolvers<never>()
    const deps = { log: gate.log, columnStore, logger: silent, metrics, health: createHealth(), clock: Date.now, onBug: bug.reject }
    const writer = createEventsWriter(config, deps)
    const drained = (partition: number) => {
      const empty = async () => (await log.lag()).every(lag => lag.partition !== partition || lag.lagRecords === 0)
      return Promise.race([waitFor(empty, { what: 'the drain', timeoutMs: 3_600_000, everyMs: 50 }), bug.promise])
    }
    // From here on: what is measured is fetched while it waits at the gate.
    const logBefore = logCpuMs()
    await writer.start()
    await drained(warming)
    await untilMerged(columnStore)
    const cost = await measure(engine, columnStore, engine.database, async () => {
      gate.open()
      await drained(measured)
    })
    const logMs = ((logCpuMs() - logBefore) / (rows + warmRows)) * 1000
    await writer.drain()
    return { ...cost, logMs }
  })

const insertAll = async (columnStore: ColumnStore, table: string, chunks: readonly EncodedChunk[], settings = {}) => {
  for (const [index, { columns, body, hash }] of chunks.entries())
    await columnStore.insert({ table, columns, body, token: `${index}/${hash}`, settings })
}

const alone = (warm: readonly EncodedChunk[], chunks: readonly EncodedChunk[]) =>
  withEngine(async (engine, columnStore) => {
    await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
    await insertAll(columnStore, 'events_full', warm)
    await untilMerged(columnStore)
    return measure(engine, columnStore, engine.database, () => insertAll(columnStore, 'events_full', chunks))
  })

/** What turning our column types into the incumbent's costs: no part of its tables, and subtracted. */
const incumbent = (warm: readonly EncodedChunk[], chunks: readonly EncodedChunk[]) =>
  withEngine(async (engine, columnStore) => {
    for (const sql of incumbentStatements('incumbent', eventsColumns)) await columnStore.command(sql)
    await columnStore.command(
      `CREATE TABLE incumbent.discard_ours (${eventsColumns.map(({ name, type }) => `${name} ${type}`).join(', ')}) ENGINE = Null`,
    )
    const reading = async (table: string) => {
      const before = processCpuMs(engine.pid!)
      await insertAll(columnStore, `incumbent.${table}`, chunks, incumbentInsertSettings)
      return per1000(processCpuMs(engine.pid!) - before)
    }
    await insertAll(columnStore, 'incumbent.events_full', warm, incumbentInsertSettings)
    await untilMerged(columnStore)
    const conversion = Math.max(0, (await reading('discard')) - (await reading('discard_ours')))
    const cost = await measure(engine, columnStore, 'incumbent', () =>
      insertAll(columnStore, 'incumbent.events_full', chunks, incumbentInsertSettings),
    )
    return { ...cost, engine: cost.engine - conversion, conversion }
  })

const rounded = (value: number) => Math.round(value * 100) / 100
const shown = ({ engine, js, loop, forcedPass, seconds, parts }: Cost) => ({
  engineMsPer1000: rounded(engine),
  jsMsPer1000: rounded(js),
  ofItOnTheLoopMsPer1000: rounded(loop),
  forcedPassMsPer1000: rounded(forcedPass),
  rowsPerSecond: Math.round(rows / seconds),
  parts,
})
const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

const results = []
for (let round = 0; round < rounds; round++) {
  const { log, cpuMs, close } = await openLog(values.log)
  const monthMs = 31 * 86_400_000
  const decodedBytes = await fill(log, measured, rows, Date.now() - 3_600_000)
  // In another month, so that no merge mixes them with what is measured.
  await fill(log, warming, warmRows, Date.now() - 2 * monthMs)
  const [warm, chunks] = [await prebuilt(log, warming), await prebuilt(log, measured)]
  const parts = { writer: await drain(log, cpuMs), alone: await alone(warm, chunks), incumbent: await incumbent(warm, chunks) }
  await close()
  results.push({ ...parts, decodedBytesPerRow: decodedBytes / rows, blocks: chunks.map(chunk => chunk.rows) })
}

const first = results[0]!
console.log(
  JSON.stringify(
    {
      bench: 'drain',
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
      rows,
      rounds,
      decodedBytesPerRow: Math.round(first.decodedBytesPerRow),
      blocks: first.blocks,
      log: values.log,
      writer: { ...shown(first.writer), ...(values.log === 'kafka' && { brokerMsPer1000: rounded(first.writer.logMs) }) },
      engineAlone: shown(first.alone),
      incumbent: { ...shown(first.incumbent), conversionMsPer1000: rounded(first.incumbent.conversion) },
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
