// Measures the CPU time of the row audit for two record sizes. The bench reports ms per 1,000 spans, separately for this process and the
// engine. Usage: npm run bench -- row-audit -- [spans]. The bench runs only on Linux, because it reads CPU times from /proc.
import { cpus, loadavg } from 'node:os'
import { zstdCompressSync } from 'node:zlib'
import { createColumnStore } from '@svc-server/column-store/client'
import { nothingDenied } from '@svc-server/deletions/denials'
import { startEngine } from '@svc-server/embedded-engine'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { attributes, encodeTraceRequest, processCpuMs, temporaryDirectory } from '@svc-server/testkit'
import { createRowAudit } from '../src/row-audit/row-audit.ts'

const spans = Number(process.argv[2]) || 40_000
const startMs = Date.now()
const password = 'bench'
const directory = await temporaryDirectory('svc-bench-row-audit-')
const engine = await startEngine({ dataDir: `${directory.path}/engine`, port: 0, password })
const columnStore = createColumnStore({ url: engine.url, user: engine.user, password, database: engine.database, requestTimeoutMs: 60_000 })
await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
const topics = topicSpecs({ embedded: true, enabledReaders: [groupNames.writer] })
const log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics })

const hex = (number: number, length: number) => (number + 1).toString(16).padStart(length, 'a')
const words = Array.from({ length: 5_000 }, (_, n) => `${((n * 2_654_435_761) % 4_294_967_296).toString(36)}`)
const prose = (seed: number, bytes: number) => {
  let text = ''
  for (let at = seed + 1; text.length < bytes; at = (at * 48_271 + 11) % 2_147_483_647) text += `${words[at % words.length]} `
  return text
}

const decimal = (micros: number) => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`

let next = 0
/** A span and its row each have 3.6 KB. */
async function append(count: number, partition: number): Promise<void> {
  const first = next
  next += count
  const made = Array.from({ length: count }, (_, i) => ({
    traceId: hex(Math.floor((first + i) / 10), 32),
    spanId: hex(first + i, 16),
    name: 'span',
    startTimeUnixNano: String(BigInt(startMs) * 1_000_000n + BigInt(first + i) * 1_000n),
    endTimeUnixNano: String(BigInt(startMs) * 1_000_000n),
    attributes: attributes({ 'svc.observation.input': prose(first + i, 1_800), 'svc.observation.output': prose(first + i + 7, 1_800) }),
  }))
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: made }] }] })
  const envelope = { projectId: 'p', apiKey: '', sdkName: '', sdkVersion: '', ingestionVersion: 4, receivedAtMs: startMs, ingestId: '' }
  const value = encodeSpanBatch({
    ...envelope,
    contentEncoding: 'zstd',
    decodedBytes: payload.byteLength,
    spanCount: count,
    payload: zstdCompressSync(payload),
    traceAttributes: null,
  })
  const [at] = await log.append(topicNames.direct, [{ key: null, value, partition }])
  const lines = made.map(({ traceId, spanId }, i) =>
    JSON.stringify({
      ...{
        project_id: 'p',
        trace_id: traceId,
        span_id: spanId,
        start_time: decimal(startMs * 1000 + first + i),
        event_ts: decimal(at!.timestampMs * 1000),
      },
      ...{ input: prose(first + i, 1_800), output: prose(first + i + 7, 1_800) },
    }),
  )
  pending.push(...lines)
  if (pending.length >= 10_000) await flush()
}
let pending: string[] = []
async function flush(): Promise<void> {
  const lines = pending
  pending = []
  if (lines.length === 0) return
  await columnStore.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, start_time, event_ts, input, output) SETTINGS async_insert = 0 FORMAT JSONEachRow\n${lines.join('\n')}`,
  )
}

async function measure(partition: number, spansPerRecord: number) {
  for (let done = 0; done < spans; done += spansPerRecord) await append(spansPerRecord, partition)
  await flush()
  const until = (await log.describe()).find(({ spec }) => spec.name === topicNames.direct)!.partitions[partition]!.highWatermark
  const all = { ...log, committed: async () => new Map([[partition, { offset: until, metadata: '' }]]) }
  const audit = createRowAudit({
    writeMode: 'events_only',
    denials: nothingDenied,
    ...{ log: all, columnStore, maxRecordBytes: 1 << 28, share: 1, clock: Date.now, onPassed() {}, onLost() {} },
  })
  audit.own([{ topic: topicNames.direct, partition }])
  const before = { own: process.cpuUsage(), engine: processCpuMs(engine.pid!), wall: performance.now() }
  while (await audit.round());
  const own = process.cpuUsage(before.own)
  const per = (ms: number) => Math.round((ms * 1000 * 10) / spans) / 10
  const result = {
    spansPerRecord,
    ownMs: per((own.user + own.system) / 1000),
    engineMs: per(processCpuMs(engine.pid!) - before.engine),
    wallMs: per(performance.now() - before.wall),
    missing: audit.status()[0]!.missing.reduce((sum, range) => sum + range.spans, 0),
  }
  await audit.stop()
  process.stdout.write(
    `${spansPerRecord} spans a record: ${result.ownMs} ms here, ${result.engineMs} ms engine, ${result.wallMs} ms wall, per 1,000 spans\n`,
  )
  return result
}

const results = [await measure(0, 500), await measure(1, 20)]
process.stdout.write(
  `${JSON.stringify({ bench: 'row-audit', cpus: `${cpus().length} × ${cpus()[0]?.model}`, load: loadavg()[0], spans, results })}\n`,
)
await log.close()
await columnStore.close()
await engine.stop()
await directory.remove()
