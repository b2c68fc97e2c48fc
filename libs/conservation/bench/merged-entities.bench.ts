// Measures the lookup of merged entities in old tables with a million rows. The bench reports time, memory of this process, memory of the
// engine, and the size of the largest query. Usage: npm run bench -- merged-entities -- [entities] [rows]. The bench runs only on Linux,
// because it reads memory from /proc.
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { nothingDenied } from '@svc-server/deletions/denials'
import { startEngine } from '@svc-server/embedded-engine'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type EntityRecord, encodeEntity } from '@svc-server/schema/entity'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { topicSpecs } from '@svc-server/schema/topics'
import { processCpuMs, temporaryDirectory } from '@svc-server/testkit'
import { checkConservation } from '../src/check/check.ts'
import { createRowAudit } from '../src/row-audit/row-audit.ts'

const entities = Number(process.argv[2]) || 100_000
const rows = Number(process.argv[3]) || 1_000_000
const startMs = Date.UTC(2026, 10, 20)
const versionMs = startMs + 1_000_000_000
const topic = topicNames.entities
const password = 'bench'
const directory = await temporaryDirectory('svc-bench-merged-')
const engine = await startEngine({ dataDir: `${directory.path}/engine`, port: 0, password })
const columnStore = createColumnStore({
  url: engine.url,
  user: engine.user,
  password,
  database: engine.database,
  requestTimeoutMs: 600_000,
})
await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
const log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })

/** The ids are distributed over the whole key range, like real ids. */
const idOf = (number: number) => (Math.imul(number, 2_654_435_761) >>> 0).toString(16).padStart(8, '0')
const id = "leftPad(lower(hex(toUInt32(number * 2654435761))), 8, '0')"
const at = `fromUnixTimestamp64Milli(${startMs} + intDiv(number * 1000, ${Math.ceil(rows / 200_000)}))`
const atMs = (number: number) => startMs + Math.floor((number * 1000) / Math.ceil(rows / 200_000))
const version = `fromUnixTimestamp64Milli(${versionMs})`
await columnStore.command(
  `INSERT INTO traces (project_id, id, timestamp, event_ts, input) SELECT 'p', ${id}, ${at}, ${version}, repeat('x', 200) FROM numbers(${rows})`,
)
await columnStore.command(
  `INSERT INTO observations (project_id, id, trace_id, type, start_time, event_ts, input)
   SELECT 'p', ${id}, ${id}, 'SPAN', ${at}, ${version}, repeat('x', 200) FROM numbers(${rows})`,
)

const by = { atUs: 1, update: false, id: 'event', hash: 'hash' }
const entityOf = (number: number): EntityRecord => {
  const isTrace = number % 2 === 0
  const entityId = idOf(number)
  const said = isTrace ? [['timestampMs', atMs(number)] as const] : [['startMs', atMs(number)] as const, ['traceId', entityId] as const]
  return {
    ...{ projectId: 'p', entityType: isTrace ? 'trace' : 'observation', entityId, writeMode: 'dual', versionMs, firstMs: startMs },
    ...{ createdMs: startMs, legacy: true, legacyChild: false, root: null, retired: [], tags: [], sources: [by], leaves: [] },
    fields: [...said, ['input', 'a question '.repeat(100)] as const].map(([name, value]) => ({ name, source: 0, value: String(value) })),
  }
}
for (let number = 0; number < entities; ) {
  const records = Array.from({ length: Math.min(2_000, entities - number) }, () => {
    const entityId = idOf(number)
    return { key: Buffer.from(`p/${number % 2}/${entityId}`), value: encodeEntity(entityOf(number++)), partition: 0 }
  })
  await log.append(topic, records)
}

let largest = 0
let queries = 0
const measured: ColumnStore = {
  ...columnStore,
  query(sql, params) {
    queries += 1
    largest = Math.max(largest, sql.length + JSON.stringify(params ?? {}).length)
    return columnStore.query(sql, params)
  },
}
const peakMiB = (pid: number | 'self') => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
const committed = {
  ...log,
  committed: async (_: string, of: string) => new Map(of === topic ? [[0, { offset: entities, metadata: '' }]] : []),
}

async function measure(what: string, work: () => Promise<number>) {
  ;[largest, queries] = [0, 0]
  const before = { own: process.cpuUsage(), engine: processCpuMs(engine.pid!), wall: performance.now() }
  const missing = await work()
  const own = process.cpuUsage(before.own)
  const per = (ms: number) => Math.round((ms * 10_000) / entities) / 10
  const result = {
    ...{ what, missing, queries, largestQueryKiB: Math.round(largest / 1024) },
    ...{
      ownMs: per((own.user + own.system) / 1000),
      engineMs: per(processCpuMs(engine.pid!) - before.engine),
      wallMs: per(performance.now() - before.wall),
    },
    ...{ ownPeakMiB: peakMiB('self'), enginePeakMiB: peakMiB(engine.pid!) },
  }
  process.stdout.write(`${JSON.stringify(result)} (ms per 1,000 entities)\n`)
  return result
}

const results = [
  await measure('audit', async () => {
    const audit = createRowAudit({
      ...{ log: committed, columnStore: measured, maxRecordBytes: 1 << 28, share: 1, clock: Date.now, writeMode: 'dual' as const },
      ...{ denials: nothingDenied, onPassed() {}, onLost() {} },
    })
    audit.own([{ topic, partition: 0 }])
    while (await audit.round());
    const missing = audit.status()[0]!.missing.reduce((sum, { spans }) => sum + spans, 0)
    await audit.stop()
    return missing
  }),
  await measure('check', async () => {
    const options = { log: committed, columnStore: measured, group: groupNames.writer, topics: [], writeMode: 'dual' as const }
    const { keyed } = await checkConservation(options)
    return keyed.reduce((sum, { missing }) => sum + missing, 0)
  }),
]
process.stdout.write(
  `${JSON.stringify({ bench: 'merged-entities', cpus: `${cpus().length} × ${cpus()[0]?.model}`, load: loadavg()[0], entities, rows, results })}\n`,
)
await log.close()
await columnStore.close()
await engine.stop()
await directory.remove()
