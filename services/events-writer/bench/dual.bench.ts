// Measures the cost of writing to both sets of tables, the old tables and the events tables. The bench writes the same spans in the modes
// events_only, legacy and dual. Each mode has its own engine. In the mode dual, the engine may use at most as much CPU time as in the other
// two modes together. Run `npm run bench -- dual -- [--rows N] [--chunk-rows N] [--warm-rows N] [--rounds N]`.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createColumnStore } from '@svc-server/column-store/client'
import { startEngine } from '@svc-server/embedded-engine'
import type { EventLog } from '@svc-server/log'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { partsOf, processCpuMs, temporaryDirectory, untilMerged, waitFor } from '@svc-server/testkit'
import { createEventsWriter } from '../src/app.ts'
import { writerConfig, writerVariables } from '../src/settings.ts'
import { createBodies } from './bodies.ts'
import { fill, gated, openLog } from './filled-log.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '60000' },
    'chunk-rows': { type: 'string', default: '20000' },
    'warm-rows': { type: 'string', default: '40000' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('--rows N (60000)  --chunk-rows N (20000)  --warm-rows N (40000)  --rounds N (1)\n')
  process.exit(0)
}
const [rows, chunkRows, warmRows, rounds] = [values.rows, values['chunk-rows'], values['warm-rows'], values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const [measured, warming] = [0, 1]
const password = 'bench'
const MiB = 1024 * 1024
const configured = writerConfig(loadSettings([writerVariables], {}, { service: 'bench', profile: 'embedded' }).of(writerVariables))
const silent = createLogger({ service: 'bench', level: 'silent' })

interface Cost {
  /** CPU time of the engine until all merges have ended, and CPU time of this process, both in ms per 1,000 spans. */
  readonly engine: number
  readonly js: number
  readonly stored: Readonly<Record<string, number>>
  readonly parts: Awaited<ReturnType<typeof partsOf>>
}

async function drained(log: EventLog, writeMode: WriteMode): Promise<Cost> {
  await using directory = await temporaryDirectory('svc-bench-engine-')
  const engine = await startEngine({ dataDir: directory.path, port: 0, password })
  const { url, user, database } = engine
  const columnStore = createColumnStore({ url, user, password, database, requestTimeoutMs: 300_000 })
  try {
    await migrateColumnStore(columnStore, { database, clustered: false })
    const gate = gated(log, measured)
    const bug = Promise.withResolvers<never>()
    const config = {
      ...configured,
      writeMode,
      chunkMaxRows: chunkRows,
      chunkMaxBytes: 512 * MiB,
      chunkMaxWork: 1e9,
      fetchMinBytes: 1024 * MiB,
      fetchMaxBytes: 1024 * MiB,
      // With an interval of an hour, no audit runs during the measurement.
      ledgerAuditMs: 3_600_000,
    }
    const metrics = createMetricRegistry({ runtime: false })
    const deps = { log: gate.log, columnStore, logger: silent, metrics, health: createHealth(), clock: Date.now, onBug: bug.reject }
    const writer = createEventsWriter(config, deps)
    const untilRead = (partition: number) => {
      const empty = async () => (await log.lag()).every(lag => lag.partition !== partition || lag.lagRecords === 0)
      return Promise.race([waitFor(empty, { what: 'the drain', timeoutMs: 3_600_000, everyMs: 50 }), bug.promise])
    }
    await writer.start()
    await untilRead(warming)
    await untilMerged(columnStore)
    const before = { engine: processCpuMs(engine.pid!), js: process.cpuUsage() }
    gate.open()
    await untilRead(measured)
    const { user: userUs, system } = process.cpuUsage(before.js)
    await untilMerged(columnStore)
    const engineMs = processCpuMs(engine.pid!) - before.engine
    const stored: Record<string, number> = {}
    for (const table of ['events_full', 'events_core', 'observations']) {
      const [row] = await columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table}`)
      stored[table] = Number(row!.n)
    }
    const parts = await partsOf(columnStore, database)
    await writer.drain()
    return { engine: (engineMs / rows) * 1000, js: ((userUs + system) / 1000 / rows) * 1000, stored, parts }
  } finally {
    await columnStore.close()
    await engine.stop()
  }
}

const rounded = (value: number) => Math.round(value * 100) / 100
const middle = (figures: readonly number[]) => [...figures].sort((a, b) => a - b)[figures.length >> 1]!
const results: Record<WriteMode, Cost>[] = []
for (let round = 0; round < rounds; round++) {
  const costs: Partial<Record<WriteMode, Cost>> = {}
  for (const mode of writeModes) {
    // Each mode gets its own log, because the writers of all modes have the same group. On a shared log, the first writer would read the
    // whole log for the group, and the later writers would find no records.
    const { log, close } = await openLog('embedded')
    await fill(log, measured, rows, createBodies('generated', 'measured', Date.now() - 3_600_000))
    await fill(log, warming, warmRows, createBodies('generated', 'warming', Date.now() - 62 * 86_400_000))
    costs[mode] = await drained(log, mode)
    await close()
  }
  results.push(costs as Record<WriteMode, Cost>)
}
const of = (mode: WriteMode, figure: 'engine' | 'js') => middle(results.map(costs => costs[mode][figure]))
const sumRatio = (figure: 'engine' | 'js') =>
  rounded(middle(results.map(costs => costs.dual[figure] / (costs.legacy[figure] + costs.events_only[figure]))))
process.stdout.write(
  `${JSON.stringify(
    {
      bench: 'dual',
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
      rows,
      rounds,
      msPer1000: Object.fromEntries(writeModes.map(mode => [mode, { engine: rounded(of(mode, 'engine')), js: rounded(of(mode, 'js')) }])),
      stored: results[0]!.dual.stored,
      parts: results[0]!.dual.parts,
      ratios: { dualToTheSumEngine: sumRatio('engine'), dualToTheSumJs: sumRatio('js') },
    },
    null,
    2,
  )}\n`,
)
