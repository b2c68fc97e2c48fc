// Measures the CPU cost of a staged span, for each part of the propagator and for each thread. For comparison, the bench measures a program
// that only decodes the payloads with zstd and protobufjs. The bench also measures the memory, and how long the propagator blocks the event
// loop, because the propagator shares its memory and its event loop with the gateway in the standalone. Run `npm run bench --
// propagate -- [--spans 100000] [--warm-spans 100000] [--rate 300] [--window 180] [--threads 1]`. With `--fill-directory DIR`, the bench
// only writes the staged spans to the directory DIR. With `--staged DIR`, the bench uses a copy of a directory that a run
// with `--fill-directory` has filled. The spans are LLM spans of 4 KB, staged as the gateway stages them: one record per trace and request,
// compressed with zstd.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { anonymousMB, referenceCodec, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { createStagingPropagator } from '../src/app.ts'
import { propagatorConfig, propagatorVariables } from '../src/settings.ts'
import { cpuByPart } from './cpu-by-part.ts'
import { edgesIn, gated, stageSpans } from './staged-log.ts'

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '100000' },
    // Number of spans that warm up the threads before the measurement. A new thread needs 20 % more time per span than a warm thread.
    'warm-spans': { type: 'string', default: '100000' },
    rate: { type: 'string', default: '300' },
    window: { type: 'string', default: '180' },
    threads: { type: 'string', default: '1' },
    'fill-directory': { type: 'string' },
    staged: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('propagate: [--spans 100000] [--warm-spans 100000] [--rate 300] a second [--window 180] seconds [--threads 1]\n')
  process.exit(0)
}
const spans = Number(values.spans)
const warmSpans = Number(values['warm-spans'])
const rate = Number(values.rate)
const startMs = Date.UTC(2026, 0, 1)
if (spans / rate < Number(values.window)) {
  process.stderr.write('The spans do not fill a complete window, so the bench would wait for the end of the window.\n')
  process.exit(2)
}
const measuredMs = startMs + Math.ceil(warmSpans / rate + 2 * Number(values.window)) * 1000
const endMs = measuredMs + (spans / rate) * 1000
const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.propagator] })
const tenths = (value: number) => Number(value.toFixed(1))
const perThousand = (ms: number) => tenths((ms / spans) * 1000)

if (values['fill-directory'] !== undefined) {
  await stageSpans(values['fill-directory'], topics, [
    { seed: 'propagate, warm', spans: warmSpans, fromMs: startMs, rate },
    { seed: 'propagate', spans, fromMs: measuredMs, rate },
  ])
  process.exit(0)
}

const cpuMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** Returns the CPU time of each kind of thread. */
function threadsCpuMs(): Map<string, number> {
  const sums = new Map<string, number>()
  for (const id of readdirSync('/proc/self/task')) {
    const [head, tail] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')
    const fields = tail!.split(' ')
    const name = head!.slice(head!.indexOf('(') + 1)
    sums.set(name, (sums.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10)
  }
  return sums
}

/**
 * Measures the longest iteration of the event loop, in CPU time of its thread and in wall-clock time. A timer that is always due fires once
 * in each iteration.
 */
function watchTurns() {
  const longest = { cpuMs: 0, wallMs: 0, over20Ms: 0, anonymousMB: 0 }
  let cpu = process.threadCpuUsage()
  let at = performance.now()
  let turns = 0
  const timer = setInterval(() => {
    const used = cpuMs(process.threadCpuUsage(cpu))
    longest.cpuMs = Math.max(longest.cpuMs, used)
    longest.wallMs = Math.max(longest.wallMs, performance.now() - at)
    if (used > 20) longest.over20Ms++
    if (turns++ % 20 === 0) longest.anonymousMB = Math.max(longest.anonymousMB, anonymousMB())
    cpu = process.threadCpuUsage()
    at = performance.now()
  }, 1)
  return () => {
    clearInterval(timer)
    return longest
  }
}

async function startProfiler() {
  const profiler = new Session()
  profiler.connect()
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.setSamplingInterval', { interval: 1000 })
  await profiler.post('Profiler.start')
  return async () => {
    const { profile } = await profiler.post('Profiler.stop')
    profiler.disconnect()
    return profile
  }
}

async function propagate(staged: EmbeddedLog, edges: readonly number[], directory: string) {
  const { log, open } = gated(staged, edges)
  const registry = createMetricRegistry({ runtime: false })
  const env = loadSettings([propagatorVariables], { SVC_PROPAGATION_WINDOW_SECONDS: values.window }, { service: 'bench' }).of(
    propagatorVariables,
  )
  const propagator = createStagingPropagator(
    { ...propagatorConfig(env), threads: Number(values.threads) },
    {
      log,
      directory,
      logger: createLogger({ service: 'bench', level: 'warn' }),
      metrics: registry,
      health: createHealth(),
      clock: Date.now,
      onBug: error => {
        throw error
      },
    },
  )
  const metric = async (name: string): Promise<number> =>
    (await registry.render())
      .split('\n')
      .filter(line => line.startsWith(name))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  const anonymousBeforeMB = anonymousMB()
  await propagator.start()
  const isWarm = async () => (await metric('svc_propagator_spans_total')) === warmSpans
  await waitFor(isWarm, { timeoutMs: 600_000, what: 'the threads to be warm', everyMs: 100 })
  const threadsBefore = threadsCpuMs()
  const startedAt = performance.now()
  const processBefore = process.cpuUsage()
  const mainBefore = process.threadCpuUsage()
  const longestTurn = watchTurns()
  open()
  const isDone = async () => (await log.lag()).every(each => each.group !== groupNames.propagator || each.lagRecords === 0)
  await waitFor(isDone, { timeoutMs: 1_800_000, what: 'the backlog to be propagated', everyMs: 100 })
  const longest = longestTurn()
  const seconds = (performance.now() - startedAt) / 1000
  const all = cpuMs(process.cpuUsage(processBefore))
  const main = cpuMs(process.threadCpuUsage(mainBefore))
  const threads = threadsCpuMs()
  const propagatedSpans = await metric('svc_propagator_spans_total')
  const counts = {
    windows: await metric('svc_propagator_windows_total'),
    republishedSpans: await metric('svc_propagator_republished_spans_total'),
  }
  await propagator.drain()
  if (propagatedSpans !== warmSpans + spans) throw new Error('Not every span was propagated exactly once')
  return {
    seconds: tenths(seconds),
    spansPerSecond: Math.round(spans / seconds),
    cpuMsPer1000Spans: {
      all: perThousand(all),
      main: perThousand(main),
      ...Object.fromEntries(
        [...threads].map(([name, ms]) => [`thread ${name}`, perThousand(ms - (threadsBefore.get(name) ?? 0))]).filter(([, ms]) => ms !== 0),
      ),
    },
    longestTurn: { cpuMs: tenths(longest.cpuMs), wallMs: tenths(longest.wallMs), turnsOver20Ms: longest.over20Ms },
    anonymousMB: { before: anonymousBeforeMB, peak: longest.anonymousMB },
    ...counts,
  }
}

/** CPU time for decoding the payloads and nothing else, in ms per 1,000 spans. */
async function reference(log: EmbeddedLog): Promise<number> {
  let read = 0
  let used = 0
  for (let from = 0; read < Math.min(spans / 4, 20_000); ) {
    const { records, nextOffset } = await log.read(topicNames.staging, 0, from, 4 << 20)
    const before = process.threadCpuUsage()
    for (const { value } of records) {
      const { payload, spanCount } = decodeSpanBatch(value!)
      referenceCodec.decode(zstdDecompressSync(payload))
      read += spanCount
    }
    if (from === 0) read = 0
    else used += cpuMs(process.threadCpuUsage(before))
    from = nextOffset
  }
  return (used / read) * 1000
}

await using directory = await temporaryDirectory('svc-propagate-bench-')
const stagedDirectory = values.staged ?? join(directory.path, 'staged')
if (values.staged === undefined) {
  const argv = [
    ...process.execArgv,
    import.meta.filename,
    '--fill-directory',
    stagedDirectory,
    '--spans',
    values.spans,
    '--warm-spans',
    values['warm-spans'],
    '--rate',
    values.rate,
  ]
  if (spawnSync(process.execPath, argv, { stdio: 'inherit' }).status !== 0) throw new Error('The log could not be filled')
}

async function openCopy(name: string) {
  const own = join(directory.path, name)
  cpSync(stagedDirectory, join(own, 'log'), { recursive: true })
  const edges = edgesIn(join(own, 'log'))
  const openedAt = performance.now()
  const log = await openEmbeddedLog({
    directory: join(own, 'log'),
    topics,
    clock: () => endMs + 3_600_000 + performance.now() - openedAt,
  })
  return { log, edges, stateDirectory: join(own, 'state') }
}

async function run(name: string) {
  const { log, edges, stateDirectory } = await openCopy(name)
  const staged = (await log.describe()).find(({ spec }) => spec.name === topicNames.staging)!.partitions
  const figures = await propagate(log, edges, stateDirectory)
  const referenceMs = await reference(log)
  await log.close()
  const records = staged.reduce((sum, partition) => sum + partition.records, 0)
  const bytes = staged.reduce((sum, partition) => sum + partition.bytes, 0)
  return { records, stagedBytesPerSpan: Math.round(bytes / (warmSpans + spans)), referenceMs, ...figures }
}

/**
 * Runs the propagator with a profiler. The profiler adds about a tenth to the CPU time of the event loop. The bench therefore uses the
 * profile only for each part's share of the CPU time. The total CPU time comes from a run without the profiler.
 */
async function profileRun() {
  const { log, edges, stateDirectory } = await openCopy('profiled')
  const stop = await startProfiler()
  await propagate(log, edges, stateDirectory)
  const profile = await stop()
  await log.close()
  return profile
}

// A first run warms up the process. The measurement must be so long that compilation is only a small part of it.
const { anonymousMB: memory } = await run('warm-up')
const { referenceMs, ...measured } = await run('measured')
const { all, main } = measured.cpuMsPer1000Spans
const mainByPart = [...cpuByPart(await profileRun(), main)].map(([part, ms]) => [part, tenths(ms)] as const)
const figures = { ...measured, mainByPart: Object.fromEntries(mainByPart), anonymousMB: memory }

process.stdout.write(
  `${spans} spans in ${figures.records} records: ${figures.spansPerSecond} spans/s, ${all} ms CPU per 1,000 spans (${main} on the event loop), ` +
    `${(all / referenceMs).toFixed(2)} of a zstd + protobufjs decode (${referenceMs.toFixed(1)} ms)\n` +
    mainByPart.map(([part, ms]) => `  ${part.padEnd(32)} ${ms}\n`).join(''),
)
process.stdout.write(
  `${JSON.stringify({
    bench: 'propagate',
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
    spans,
    referenceMsPer1000Spans: tenths(referenceMs),
    ...figures,
  })}\n`,
)
