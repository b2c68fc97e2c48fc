// Measures the time to merge a legacy event, and compares it with the time to make a row from a span. Also measures the memory of a merger
// with many entities. After the merges, the bench deletes a project with 5 % of the entities. It measures the duration of the walk over all
// entities, and how long an event of another project waits during the walk. The merger runs in its own process. Run `npm run bench -- merge
// -- [--entities N] [--directory DIR]`.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nothingDenied } from '@svc-server/deletions/denials'
import { stateOfEvent } from '@svc-server/entities/event'
import { joinStates, nothingSaid } from '@svc-server/entities/state'
import type { NewRecord } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createChunkEncoder } from '@svc-server/observations/block/chunk-encoder'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import { encodeIngestionEvent, entityKey, type IngestionEvent } from '@svc-server/schema/ingestion-event'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { anonymousMB, createRandom, createSpanGenerator, quantile } from '@svc-server/testkit'
import { createMerger } from '../src/app.ts'
import { noOlderRows } from '../src/older-rows.ts'

const { values } = parseArgs({
  options: {
    entities: { type: 'string', default: '1000000' },
    directory: { type: 'string' },
    step: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('--entities N (1000000)  --directory DIR (a temporary one)\n')
  process.exit(0)
}
const entities = Number(values.entities)
const eventsPerEntity = 3
const perAppend = 2_000
const startMs = 1_750_000_000_000
const MiB = 1024 * 1024
const topics = topicSpecs({
  embedded: true,
  enabledReaders: [groupNames.merger],
  maxTopicBytes: { ingestion: 2 ** 36, entities: 2 ** 36 },
})

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const random = createRandom('merge bench')
const words = Array.from({ length: 400 }, () => random.pick(['lorem', 'ipsum', 'dolor', 'sit', 'amet', 'consetetur'])).join(' ')

function eventOf(entity: number, part: number, characters: number): IngestionEvent {
  const at = startMs + part * 1000
  const text = words.slice(0, characters)
  const bodies = [
    {
      traceId: `trace-${entity >> 3}`,
      name: 'answer',
      startTime: new Date(at).toISOString(),
      model: 'gpt-4o',
      input: [{ role: 'user', content: text }],
      metadata: { user: { plan: 'pro' }, run: entity },
    },
    { output: { role: 'assistant', content: text }, usage: { input: 120, output: 80 }, metadata: { user: { seat: 4 } } },
    { endTime: new Date(at).toISOString(), level: 'DEFAULT' },
  ]
  return {
    projectId: `project-${entity % 20}`,
    apiKey: 'pk-bench',
    sdkName: 'python',
    sdkVersion: '2.60.0',
    writeMode: 'legacy',
    receivedAtMs: at,
    ingestId: 'bench',
    entityType: 'observation',
    entityId: `00000000-0000-4000-8000-${String(Math.imul(entity, 0x9e3779b1) >>> 0).padStart(12, '0')}`,
    eventType: part === 0 ? 'generation-create' : 'generation-update',
    eventId: `event-${entity}-${part}`,
    timestampUs: at * 1000,
    body: Buffer.from(JSON.stringify(bodies[part])),
  }
}

const recordOf = (event: IngestionEvent): NewRecord => ({ key: Buffer.from(entityKey(event)), value: encodeIngestionEvent(event) })

async function write(directory: string): Promise<void> {
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics })
  for (let part = 0; part < eventsPerEntity; part++) {
    for (let from = 0; from < entities; from += perAppend) {
      const count = Math.min(perAppend, entities - from)
      await log.append(
        topicNames.ingestion,
        Array.from({ length: count }, (_, at) => recordOf(eventOf(from + at, part, 300))),
      )
    }
  }
  await log.close()
}

async function mergeAll(directory: string) {
  const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics })
  const merger = createMerger(
    {
      writeMode: 'legacy',
      readBytes: 4 * MiB,
      chunkBytes: 16 * MiB,
      maxEntityBytes: 7 * MiB,
      threads: 1,
      maxRecordBytes: 64 * MiB,
      maxRowBytes: 64 * MiB,
      maxWork: 3_000_000,
      brandAliases: [],
      deadLetterMin: 100,
      deadLetterShare: 0.2,
      haltedPauseMs: 60_000,
      retentionMs: 7 * 24 * 3_600_000,
      passedRestMs: 1_000,
      stuckThresholdMs: 900_000,
      storeSilenceMs: 15_000,
    },
    {
      log,
      directory: join(directory, 'state'),
      older: noOlderRows,
      denials: nothingDenied,
      logger: createLogger({ service: 'bench', level: 'error' }),
      metrics: createMetricRegistry({ runtime: false }),
      health: createHealth(),
      clock: Date.now,
      onBug: error => {
        throw error
      },
    },
  )
  let peakMB = 0
  const startedAt = performance.now()
  const before = cpuMs()
  await merger.start()
  for (let lag = 1; lag > 0; ) {
    await new Promise(resolve => setTimeout(resolve, 250))
    peakMB = Math.max(peakMB, anonymousMB())
    lag = (await log.lag()).reduce((sum, each) => (each.group === groupNames.merger ? sum + each.lagRecords : sum), 0)
  }
  const lagOf = async (...names: readonly string[]) =>
    (await log.lag()).reduce(
      (sum, each) => (each.group === groupNames.merger && names.includes(each.topic) ? sum + each.lagRecords : sum),
      0,
    )

  /** Returns the sorted waiting times of all events, in milliseconds. A waiting time runs from the append of an event to its merge. */
  async function probe(goesOn: (done: number) => Promise<boolean>): Promise<readonly number[]> {
    const delays: number[] = []
    while (await goesOn(delays.length)) {
      const entity = 20 * delays.length + 1
      const begunAt = performance.now()
      const [at] = await log.append(topicNames.ingestion, [recordOf({ ...eventOf(entity, 2, 300), eventId: `probe-${delays.length}` })])
      const isMerged = async () =>
        ((await log.committed(groupNames.merger, topicNames.ingestion)).get(at!.partition)?.offset ?? 0) > at!.offset
      while (!(await isMerged())) await new Promise(resolve => setTimeout(resolve, 2))
      delays.push(performance.now() - begunAt)
    }
    return delays.toSorted((a, b) => a - b)
  }
  const at = (times: readonly number[], share: number) => Math.round(quantile(times, share))
  const mergedSeconds = (performance.now() - startedAt) / 1000
  const mergedCpuMs = cpuMs() - before
  const undisturbed = await probe(async done => done < 100)
  const command = { projectId: 'project-0', kind: 'delete_project', traceId: null, value: null, acceptedAtMs: Date.now() } as const
  const deletedAt = performance.now()
  await log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
  const disturbed = await probe(async done => done < 20 || (await lagOf(topicNames.commands, topicNames.traceParts)) > 0)
  const deletion = {
    entities: Math.ceil(entities / 20),
    seconds: Math.round((performance.now() - deletedAt) / 100) / 10,
    otherEventsMs: {
      before: { p50: at(undisturbed, 0.5), p95: at(undisturbed, 0.95) },
      meanwhile: { p50: at(disturbed, 0.5), p95: at(disturbed, 0.95), max: at(disturbed, 0.9999), events: disturbed.length },
    },
  }
  peakMB = Math.max(peakMB, anonymousMB())
  const result = {
    events: entities * eventsPerEntity,
    seconds: Math.round(mergedSeconds),
    cpuUsPerEvent: Math.round((mergedCpuMs * 1000) / (entities * eventsPerEntity)),
    peakRssAnonMB: peakMB,
    deletion,
  }
  await merger.drain()
  await log.close()
  return result
}

function batchOf(payload: Uint8Array): Uint8Array {
  return encodeSpanBatch({
    projectId: 'p',
    apiKey: 'pk',
    sdkName: 'python',
    sdkVersion: '3.1.0',
    ingestionVersion: 4,
    receivedAtMs: startMs,
    ingestId: 'i',
    contentEncoding: 'identity',
    decodedBytes: payload.byteLength,
    spanCount: 100,
    payload,
    traceAttributes: null,
  })
}

/**
 * Measures only the CPU time of the JavaScript. `eventUs` is the time to read an event and join the event's state to an empty state.
 * `spanUs` is the time to make a row from a span of equal size.
 */
function perItem() {
  const count = 3_000
  const environments = createEnvironmentNames({ prefixes: ['svc'] })
  const events = Array.from({ length: count }, (_, entity) => eventOf(entity, entity % eventsPerEntity, 2000))
  const generator = createSpanGenerator({ seed: 'merge bench', projectCount: 24, startTimeMs: startMs, spansPerRequest: 100 })
  const batches = Array.from({ length: count / 100 }, () => batchOf(generator.next().protobuf))
  const encoder = createChunkEncoder()
  const encodeSpans = () => {
    const records = batches.map((value, offset) => ({ topic: topicNames.direct, partition: 0, offset, timestampMs: startMs, value }))
    encoder.recycle(encoder.encode(records).body)
  }

  const mergeEvents = () => {
    for (const event of events) joinStates(nothingSaid, stateOfEvent(event, environments))
  }
  const best = (work: () => void): number => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 12; round++) {
      const before = cpuMs()
      work()
      least = Math.min(least, cpuMs() - before)
    }
    return Math.round((least * 1000 * 10) / count) / 10
  }
  return { spanUs: best(encodeSpans), eventUs: best(mergeEvents) }
}

async function inProcess(step: string, directory: string): Promise<unknown> {
  const child = spawn(process.execPath, [import.meta.filename, '--step', step, '--directory', directory, '--entities', String(entities)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || 'null')
}

if (values.step === 'write') await write(values.directory!)
else if (values.step === 'merge') process.stdout.write(JSON.stringify(await mergeAll(values.directory!)))
else {
  const directory = values.directory ?? (await mkdtemp(join(tmpdir(), 'svc-merge-bench-')))
  const items = perItem()
  await inProcess('write', directory)
  const merged = await inProcess('merge', directory)
  if (values.directory === undefined) await rm(directory, { recursive: true, force: true })
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`
  process.stdout.write(`${JSON.stringify({ bench: 'merge', machine, entities, ...items, merged }, null, 2)}\n`)
}
