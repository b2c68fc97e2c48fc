// Measures the CPU time of a merger that only skips records. The rounds alternate between a run with the merger and a run without it. Run
// `npm run bench -- pass -- [--rounds 6] [--seconds 6] [--rate 2000]`.

import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { nothingDenied } from '@svc-server/deletions/denials'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createSpanGenerator, temporaryDirectory } from '@svc-server/testkit'
import { createMerger } from '../src/app.ts'
import { noOlderRows } from '../src/older-rows.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(`pass: [--rounds 6] [--seconds 6] [--rate 2000] spans a second; its log is in ${tmpdir()}\n`)
  process.exit(0)
}
const MiB = 1024 * 1024
const spansPerRequest = 100
const requests = (Number(values.rate) * Number(values.seconds)) / spansPerRequest
const startMs = 1_750_000_000_000

const generator = createSpanGenerator({ seed: 'pass', startTimeMs: startMs, spansPerRequest })
const records = Array.from({ length: 50 }, () => {
  const payload = generator.next().protobuf
  return encodeSpanBatch({
    ...{ projectId: 'p', apiKey: 'pk', sdkName: 'python', sdkVersion: '4.7.0', ingestionVersion: 4, receivedAtMs: startMs, ingestId: 'i' },
    ...{ writeMode: 'events_only', contentEncoding: 'gzip', decodedBytes: payload.byteLength, spanCount: spansPerRequest },
    payload: gzipSync(payload, { level: 1 }),
    traceAttributes: null,
  })
})

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

await using directory = await temporaryDirectory('svc-pass-bench-')
const log = await openEmbeddedLog({
  directory: join(directory.path, 'log'),
  topics: topicSpecs({ embedded: true, enabledReaders: [groupNames.merger] }),
})
const startMerger = async (name: string) => {
  const merger = createMerger(
    {
      ...{ writeMode: 'events_only', readBytes: 4 * MiB, chunkBytes: 16 * MiB, maxEntityBytes: 7 * MiB, threads: 1, passedRestMs: 1_000 },
      ...{
        maxRecordBytes: 64 * MiB,
        maxRowBytes: 64 * MiB,
        maxWork: 3_000_000,
        brandAliases: [],
        deadLetterMin: 100,
        deadLetterShare: 0.2,
      },
      ...{ haltedPauseMs: 60_000, retentionMs: 7 * 24 * 3_600_000, stuckThresholdMs: 900_000, storeSilenceMs: 15_000 },
    },
    {
      ...{ log, directory: join(directory.path, name), older: noOlderRows, denials: nothingDenied, clock: Date.now },
      logger: createLogger({ service: 'bench', level: 'error' }),
      metrics: createMetricRegistry({ runtime: false }),
      health: createHealth(),
      onBug: error => {
        throw error
      },
    },
  )
  await merger.start()
  return merger
}

async function appendAll(): Promise<void> {
  const startedAt = performance.now()
  for (let index = 0; index < requests; index++) {
    await sleep(Math.max(0, startedAt + (index * 1000 * spansPerRequest) / Number(values.rate) - performance.now()))
    await log.append(topicNames.direct, [{ key: null, value: records[index % records.length]! }])
  }
}
const behind = async () => (await log.lag()).reduce((sum, { group, lagRecords }) => sum + (group === groupNames.merger ? lagRecords : 0), 0)

/** CPU time in milliseconds per thousand spans. */
async function measured(work: () => Promise<unknown>): Promise<number> {
  const before = cpuMs()
  await work()
  return ((cpuMs() - before) / (requests * spansPerRequest)) * 1000
}

const rounds: { readonly without: number; readonly with: number }[] = []
for (let round = 0; round <= Number(values.rounds); round++) {
  const without = await measured(appendAll)
  const merger = await startMerger(`state-${round}`)
  while ((await behind()) > 0) await sleep(50)
  const beside = await measured(async () => {
    await appendAll()
    while ((await behind()) > 0) await sleep(100)
  })
  await merger.drain()
  // The first round only warms up the compiler, so its result is dropped.
  if (round > 0) rounds.push({ without, with: beside })
}
await log.close()
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
const hundredths = (value: number) => Math.round(value * 100) / 100
const figures = {
  bench: 'pass',
  machine: `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`,
  recordBytes: Math.round(records.reduce((sum, { byteLength }) => sum + byteLength, 0) / records.length),
  cpuMsPer1000Spans: {
    without: hundredths(median(rounds.map(({ without }) => without))),
    with: hundredths(median(rounds.map(each => each.with))),
    merger: hundredths(median(rounds.map(each => each.with - each.without))),
  },
  rounds,
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
