// Measures the trace state. The bench measures the memory and time of a restore with and without a checkpoint, the time of a lookup, and
// the bytes on disk. Each step runs in its own process, so that the bench can measure the memory of each step separately. Every fifth trace
// has a second window with different attributes. Run `npm run bench -- state -- [--traces N] [--directory DIR]`.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { NewRecord } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { encodeTraceWindow, traceWindowKey } from '@svc-server/schema/trace-window'
import { anonymousMB } from '@svc-server/testkit'
import { openTraceState } from '../src/state/index.ts'

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '1000000' },
    directory: { type: 'string' },
    step: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('--traces N (1000000)  --directory DIR (a temporary one)\n')
  process.exit(0)
}
const traces = Number(values.traces)
const MB = 1e6
const partitions = 2
const projects = 20
const perWindow = 2_000
const startMs = 1_750_000_000_000
const isTwice = (trace: number) => trace % 5 === 0
const partitionOf = (trace: number) => trace % partitions
// Keys are random, like real ids. The traces therefore do not arrive in the order of their keys.
const traceKeyOf = (trace: number) =>
  Buffer.from(
    `project-${trace % projects}/${((Math.imul(trace, 0x9e3779b1) >>> 0).toString(16) + trace.toString(16).padStart(8, '0')).padStart(32, '7')}`,
  )

/** Makes a record with about 400 bytes of attributes, as real traces have. */
function recordOf(trace: number, window: number): NewRecord {
  const key = traceKeyOf(trace)
  const firstOffset = window * 100_000
  const ranks = { root: true, explicit: false, startNs: BigInt(startMs) * 1_000_000n, spanId: '00f067aa0ba902b7' }
  return {
    key: traceWindowKey(key, firstOffset),
    partition: partitionOf(trace),
    value: encodeTraceWindow({
      firstOffset,
      lastOffset: firstOffset + 99_999,
      endMs: startMs + window * 100,
      candidates: {
        winners: [
          { ...ranks, field: 'name', value: `answer a question of the ${trace}th customer` },
          { ...ranks, field: 'userId', value: `user-${trace % 100_000}@example.com` },
          { ...ranks, field: 'sessionId', value: `2f1c5e6a-9a55-4f0e-8b1d-${trace.toString(16).padStart(12, '0')}` },
          { ...ranks, field: 'release', value: 'v2026.11.3-8-g0123456' },
          { ...ranks, field: 'version', value: '1.4.2' },
          { ...ranks, field: 'environment', value: 'production' },
        ],
        tags: ['checkout', 'experiment-b', 'gpt'],
        rootSeen: true,
      },
      offsets: [firstOffset + (trace % 90_000), firstOffset + (trace % 90_000) + 7],
      spans: 24,
      totalSpans: 24,
      generation: 0,
      items: [],
      assignedAt: null,
      fill: (window % 20 < 10 ? 'f' : 'e') + trace.toString(16).padStart(15, '0'),
    }),
  }
}

const openLog = (directory: string): Promise<EmbeddedLog> =>
  openEmbeddedLog({
    directory: join(directory, 'log'),
    // Disables compaction. The memory that compaction needs (up to 100 MB of keys) is a cost of the log, not of the state.
    maintenanceIntervalMs: 1e9,
    topics: topicSpecs({
      embedded: true,
      enabledReaders: [groupNames.propagator],
      partitions: { staging: partitions },
      maxTopicBytes: { [topicNames.traceAttributes]: 1e12 },
    }),
  })

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function fill(directory: string): Promise<void> {
  const log = await openLog(directory)
  for (let from = 0, window = 0; from < traces; from += perWindow, window++) {
    const records: NewRecord[] = []
    for (let trace = from; trace < Math.min(traces, from + perWindow); trace++) {
      records.push(recordOf(trace, window))
      const earlier = trace - 10 * perWindow
      if (earlier >= 0 && isTwice(earlier)) records.push(recordOf(earlier, window))
    }
    await log.append(topicNames.traceAttributes, records)
  }
  const topic = (await log.describe()).find(({ spec }) => spec.name === topicNames.traceAttributes)!
  say({ bytes: topic.partitions.reduce((sum, { bytes }) => sum + bytes, 0) })
  await log.close()
}

async function restore(directory: string): Promise<void> {
  const log = await openLog(directory)
  const before = anonymousMB()
  let peak = before
  let last = performance.now()
  let stall = 0
  const watch = setInterval(() => {
    const now = performance.now()
    stall = Math.max(stall, now - last - 5)
    last = now
    peak = Math.max(peak, anonymousMB())
  }, 5)
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const logger = {
    info: (fields: unknown) => say(fields as object),
    warn: (fields: unknown, message?: string) => say({ warning: message, fields }),
    error: () => {},
  }
  const state = await openTraceState({ directory: join(directory, 'state'), log, logger, progressMs: 100, retentionMs: 1e12 })
  const caughtUp = await Promise.all(Array.from({ length: partitions }, (_, partition) => state.catchUp(partition)))
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpu)
  const size = state.size()
  say({
    result: {
      seconds: round(seconds, 2),
      cpuSeconds: round((user + system) / MB, 1),
      records: caughtUp.reduce((sum, { applied }) => sum + applied, 0),
      rssAnonMB: { before, peak, after: anonymousMB() },
      heapMB: Math.round(process.memoryUsage().heapTotal / MB),
      longestStallMs: round(stall, 0),
      ...size,
    },
  })
  await state.close()
  await log.close()
}

async function look(directory: string): Promise<void> {
  const log = await openLog(directory)
  const silent = () => {}
  const state = await openTraceState({
    directory: join(directory, 'state'),
    log,
    logger: { info: silent, warn: silent, error: silent },
    retentionMs: 1e12,
  })
  for (let partition = 0; partition < partitions; partition++) await state.catchUp(partition)
  const lookups = Math.min(200_000, traces)
  const time = async (traceAt: (i: number) => number, ask: (partition: number, key: Buffer) => unknown) => {
    let ns = 0
    for (let from = 0; from < lookups; from += 1_000) {
      const asked = Array.from({ length: 1_000 }, (_, i) => traceAt(from + i)).map(
        trace => [partitionOf(trace), traceKeyOf(trace)] as const,
      )
      const startedAt = performance.now()
      for (const [partition, key] of asked) ask(partition, key)
      ns += (performance.now() - startedAt) * 1e6
      await new Promise(setImmediate)
    }
    return Math.round(ns / lookups)
  }
  const known = (i: number) => Math.imul(i, 0x9e3779b1) >>> 0
  await time(i => known(i) % traces, state.newest)
  say({
    result: {
      newestNs: await time(i => known(i) % traces, state.newest),
      newestUnknownNs: await time(i => traces + i, state.newest),
      windowsNs: await time(i => known(i) % traces, state.windows),
      projectTracesNs: await time(
        i => known(i) % traces,
        partition => state.projectTraces(partition, 'project-7'),
      ),
    },
  })
  await state.close()
  await log.close()
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))

/** Runs a step in its own process. Kills the process after it has applied `enough` records. */
async function run(step: string, directory: string, enough = Number.POSITIVE_INFINITY): Promise<Record<string, unknown>> {
  const argv = [
    '--disable-warning=ExperimentalWarning',
    import.meta.filename,
    '--step',
    step,
    '--directory',
    directory,
    '--traces',
    `${traces}`,
  ]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let result: Record<string, unknown> = {}
  const applied = new Map<number, number>()
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.endsWith('}')) break
    const said = JSON.parse(line) as Record<string, unknown>
    if ('warning' in said) process.stderr.write(`${line}\n`)
    if (typeof said['applied'] === 'number') applied.set(said['partition'] as number, said['applied'])
    if ([...applied.values()].reduce((sum, one) => sum + one, 0) >= enough) child.kill('SIGKILL')
    result = (said['result'] as Record<string, unknown> | undefined) ?? said
  }
  if (child.exitCode === null && child.signalCode === null) await new Promise(resolve => child.on('exit', resolve))
  if (child.exitCode !== 0 && enough === Number.POSITIVE_INFINITY)
    throw new Error(`${step} ended with ${child.exitCode ?? child.signalCode}`)
  return result
}

const steps: Readonly<Record<string, (directory: string) => Promise<void>>> = { fill, restore, look }
if (values.step !== undefined) {
  await steps[values.step]!(values.directory!)
} else {
  const directory = await mkdtemp(join(values.directory ?? tmpdir(), 'svc-state-bench-'))
  try {
    const [{ bytes: changelogBytes }, restored] = [await run('fill', directory), await run('restore', directory)]
    const lookups = await run('look', directory)
    const nothingNew = await run('restore', directory)
    rmSync(join(directory, 'state'), { recursive: true })
    await run('restore', directory, (traces * 1.2) / 2)
    const afterKill = await run('restore', directory)
    process.stdout.write(
      `${JSON.stringify({
        bench: 'propagator/state',
        machine: `${cpus().length} x ${cpus()[0]?.model}, node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
        traces,
        changelogBytesPerTrace: Math.round((changelogBytes as number) / traces),
        bytesOnDiskPerTrace: Math.round((restored['bytesOnDisk'] as number) / traces),
        restored,
        restoredAfterKillHalfway: afterKill,
        openedWithNothingNew: nothingNew['seconds'],
        ...lookups,
      })}\n`,
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
