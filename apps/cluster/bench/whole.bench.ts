// Measures the CPU time that the whole cluster uses per stored span. Each service runs in a separate process. For comparison, the bench
// also measures the CPU time that protobufjs takes to decode the requests. Usage: npm run bench -- whole -- [--spans N] [--warm-spans N]
// [--cold-spans N] [--connections N] [--core-hour PRICE] [--plain]
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { anonymousMB, partsOf, processCpuMs, referenceCodec, threadCpuMs, untilMerged, waitFor } from '@svc-server/testkit'
import { openTestCluster, type TestCluster } from '../test/cluster.ts'
import { createLoad, type Load, sendLoad } from '../test/load.ts'

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '200000' },
    'warm-spans': { type: 'string', default: '100000' },
    'cold-spans': { type: 'string', default: '20000' },
    connections: { type: 'string', default: '8' },
    // Price of a core per hour, in any currency.
    'core-hour': { type: 'string', default: '0.04' },
    // Sends uncompressed bodies. Exporters do not compress by default.
    plain: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [spans, warmSpans, coldSpans, connections, coreHour] = (
  ['spans', 'warm-spans', 'cold-spans', 'connections', 'core-hour'] as const
).map(name => Number(values[name])) as [number, number, number, number, number]
if (values.help || [spans, warmSpans, coldSpans, connections, coreHour].some(value => !(value > 0))) {
  process.stdout.write(
    '--spans N (200000)  --warm-spans N (100000)  --cold-spans N (20000)  --connections N (8)  --core-hour PRICE (0.04)  --plain\n',
  )
  process.exit(values.help ? 0 : 2)
}

const compression = { gzipLevel: values.plain ? 0 : 1 }

interface Part {
  readonly name: string
  readonly pids: readonly number[]
  readonly isNode: boolean
}

function partsOfCluster({ running }: TestCluster): readonly Part[] {
  const { stores, gateways, writers, propagators, apis } = running
  const pidsOf = (processes: readonly { readonly pid: number | undefined }[]) => processes.map(({ pid }) => pid!)
  return [
    { name: 'gateway', pids: pidsOf(gateways), isNode: true },
    { name: 'broker', pids: stores.kafka!.pids(), isNode: false },
    { name: 'writer', pids: pidsOf(writers), isNode: true },
    { name: 'engine', pids: pidsOf([stores.engine!]), isNode: false },
    // The load gives the propagators and the API no work, so the bench measures their constant background work.
    { name: 'propagator and API, idle', pids: pidsOf([...propagators, ...apis]), isNode: true },
  ]
}

const cpuOf = ({ pids, isNode }: Part): Record<string, number> => {
  const sum: Record<string, number> = { all: 0 }
  for (const pid of pids) {
    sum['all']! += processCpuMs(pid)
    if (isNode) for (const [role, ms] of Object.entries(threadCpuMs(pid))) sum[role] = (sum[role] ?? 0) + ms
  }
  return sum
}

const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const memoryOf = (parts: readonly Part[]) => parts.map(({ pids }) => pids.reduce((sum, pid) => sum + anonymousMB(pid), 0))

async function storedIn(cluster: TestCluster): Promise<number> {
  const [row] = await cluster.query<{ rows: string }>('SELECT count() AS rows FROM events_full')
  return Number(row!.rows)
}

/**
 * For each part of the cluster, measures the CPU time in milliseconds per 1,000 spans, and the peak memory. The measurement ends when all
 * spans are stored and merged.
 */
async function measure(cluster: TestCluster, parts: readonly Part[], load: Load) {
  const storedBefore = await storedIn(cluster)
  const insertsBefore = await insertsOf(cluster)
  const before = parts.map(cpuOf)
  const peak = memoryOf(parts)
  const watch = setInterval(() => {
    for (const [at, used] of memoryOf(parts).entries()) peak[at] = Math.max(peak[at]!, used)
  }, 500)
  const startedAt = performance.now()
  await sendLoad(cluster.running, { load, concurrency: connections })
  const sentAfter = (performance.now() - startedAt) / 1000
  const stored = async () => (await storedIn(cluster)) >= storedBefore + load.spans
  await waitFor(stored, { what: 'every span to be a row', timeoutMs: 900_000, everyMs: 250 })
  const storedAfter = (performance.now() - startedAt) / 1000
  await untilMerged(cluster)
  clearInterval(watch)
  const cost = parts.map((part, at) => {
    const after = cpuOf(part)
    return [
      part.name,
      Object.fromEntries(Object.entries(after).map(([role, ms]) => [role, round(((ms - before[at]![role]!) / load.spans) * 1000)])),
    ] as const
  })
  const rates = { acknowledgedPerSecond: Math.round(load.spans / sentAfter), storedPerSecond: Math.round(load.spans / storedAfter) }
  const { inserts, rows } = await insertsOf(cluster)
  const rowsPerInsert = Math.round((rows - insertsBefore.rows) / (inserts - insertsBefore.inserts))
  return { cpuMsPer1000: Object.fromEntries(cost), peak, rowsPerInsert, ...rates }
}

function protobufjs(load: Load) {
  const bodies = Array.from({ length: 40 }, (_, at) => load.request(at))
  const plain = bodies.map(({ body }) => (values.plain ? body : gunzipSync(body)))
  const decode = () => {
    for (const body of plain) referenceCodec.decode(body)
  }
  for (let warm = 0; warm < 3; warm++) decode()
  const before = process.threadCpuUsage()
  for (let times = 0; times < 5; times++) decode()
  const used = process.threadCpuUsage(before)
  const spans = bodies.reduce((sum, each) => sum + each.spans, 0)
  return {
    msPer1000: (used.user + used.system) / spans / 5,
    bytesPerSpan: Math.round(plain.reduce((sum, { length }) => sum + length, 0) / spans),
  }
}

const probesOf = (services: readonly { readonly probeUrl: string }[]) => services.map(({ probeUrl }) => probeUrl)

/** Counts inserts, because most of an insert's cost does not depend on its number of rows. */
async function insertsOf(cluster: TestCluster) {
  const writers = probesOf(cluster.running.writers)
  const [inserts, rows] = await Promise.all(
    ['count', 'sum'].map(what => cluster.metric(`svc_writer_insert_rows_${what}`, writers)) as [Promise<number>, Promise<number>],
  )
  return { inserts, rows }
}

const one = Object.fromEntries(['GATEWAYS', 'WRITERS', 'PROPAGATORS', 'APIS'].map(kind => [`SVC_CLUSTER_${kind}`, '1']))
const cluster = await openTestCluster(one, { ownBroker: true })
try {
  const parts = partsOfCluster(cluster)
  await sleep(5_000)
  const idle = memoryOf(parts)
  const cold = await measure(cluster, parts, createLoad('cold', coldSpans, compression))
  await measure(cluster, parts, createLoad('warm', warmSpans, compression))
  const load = createLoad('measured', spans, compression)
  const warm = await measure(cluster, parts, load)
  const { msPer1000: reference, bytesPerSpan } = protobufjs(load)
  const recordBytes = await cluster.metric('svc_gateway_record_bytes_total', probesOf(cluster.running.gateways))
  const tables = await partsOf(cluster, cluster.running.stores.columnStore.database)
  const all = Object.values(warm.cpuMsPer1000).reduce((sum, { all = 0 }) => sum + all, 0)
  const js = all - warm.cpuMsPer1000['engine']!['all']! - warm.cpuMsPer1000['broker']!['all']!
  const named = (of: readonly number[]) => Object.fromEntries(parts.map(({ name }, at) => [name, of[at]!]))
  const figures = {
    bench: 'whole',
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
    spans,
    compressed: !values.plain,
    protobufjsMsPer1000: round(reference),
    warm: warm.cpuMsPer1000,
    cold: cold.cpuMsPer1000,
    sums: {
      allMsPer1000: round(all),
      jsMsPer1000: round(js),
      allToProtobufjs: round(all / reference, 2),
      jsToProtobufjs: round(js / reference, 2),
    },
    acknowledgedPerSecond: warm.acknowledgedPerSecond,
    storedPerSecond: warm.storedPerSecond,
    rowsPerInsert: warm.rowsPerInsert,
    coreHoursPerBillion: round(all / 3.6),
    moneyPerBillion: round((all / 3.6) * coreHour, 2),
    anonymousMB: { idle: named(idle), peak: named(warm.peak) },
    bytesPerSpan: { decoded: bytesPerSpan, record: Math.round(recordBytes / (spans + warmSpans + coldSpans)) },
    tables,
  }
  console.log(JSON.stringify(figures, null, 2))
} finally {
  await cluster.close()
}
