// Measures how many rows per second the backfill writes, and how much the backfill slows down live traffic. For comparison, the bench also
// measures a hand-written INSERT … SELECT. The bench runs on two v3 stores: a store of N observations and a store of 10 N observations.
// Usage: npm run bench -- backfill -- [--rows N] [--rate ROWS_PER_SECOND] [--seconds N] [--windows N] [--only small|large|live]
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { readSteps, setChainPaused } from '@svc-server/relational/background-migrations'
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { anonymousMB, processCpuMs, quantile, v3Store } from '@svc-server/testkit'
import { openTestCluster, type TestCluster } from '../test/cluster.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    rate: { type: 'string', default: '1000' },
    // Length of each measuring window in seconds. The windows alternate: the runner is paused in one window and runs in the next.
    seconds: { type: 'string', default: '15' },
    windows: { type: 'string', default: '3' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const [rows, rate, seconds, windows] = (['rows', 'rate', 'seconds', 'windows'] as const).map(name => Number(values[name])) as [
  ...[number, number, number, number],
]
if (values.help || [rows, rate, seconds, windows].some(value => !(value > 0))) {
  process.stdout.write('--rows N (200000)  --rate ROWS_PER_SECOND (1000)  --seconds N (15)  --windows N (3)  --only small|large|live\n')
  process.exit(values.help ? 0 : 2)
}

const settings = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'false',
  COLUMNSTORE_REQUEST_TIMEOUT_MS: '10m',
  // The limit is high because each hand-written statement copies a whole month in one insert.
  COLUMNSTORE_MEMORY_LIMIT: '8GiB',
  ...Object.fromEntries(['GATEWAYS', 'WRITERS', 'PROPAGATORS', 'APIS'].map(kind => [`SVC_CLUSTER_${kind}`, '1'])),
}
const mark = 'svc backfill: another runner'
const round = (value: number, digits = 2) => Number(value.toFixed(digits))

interface Stores {
  readonly cluster: TestCluster
  readonly columnStore: ColumnStore
  readonly relational: RelationalStore
}

async function withStores<T>(run: (stores: Stores) => Promise<T>): Promise<T> {
  const cluster = await openTestCluster(settings, { ownBroker: true })
  const columnStore = createColumnStore({ ...cluster.running.stores.columnStore, requestTimeoutMs: 600_000 })
  const relational = await openRelationalStore({ kind: 'postgres', url: cluster.running.operatorEnv['DATABASE_URL']! })
  try {
    return await run({ cluster, columnStore, relational })
  } finally {
    await relational.close()
    await columnStore.close()
    await cluster.close()
  }
}

async function figure({ columnStore }: Pick<Stores, 'columnStore'>, what: string): Promise<number> {
  const [row] = await columnStore.query<{ figure: string | number | null }>(`SELECT ${what} AS figure`)
  return Number(row!.figure ?? 0)
}

const bytesOf = (condition: string) => `(SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND ${condition})`

const oldTables = `table IN ('traces', 'observations', 'dataset_run_items_rmt')`

const engineCpu = ({ cluster }: Stores) => processCpuMs(cluster.running.stores.engine!.pid!) / 1000

async function runToEnd(stores: Stores, variables: Readonly<Record<string, string>>) {
  const [runner] = stores.cluster.running.backfillRunners
  const peak = { runnerMB: 0, queryMB: 0, diskBytes: 0 }
  const seconds: Record<string, number> = {}
  const cpuSeconds: Record<string, number> = {}
  await runner!.stop()
  await runner!.start({ SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'true', ...variables })
  let [last, since, cpuSince] = ['waits', performance.now(), engineCpu(stores)]
  const note = (name: string) => {
    if (name === last) return
    const [now, cpu] = [performance.now(), engineCpu(stores)]
    seconds[last] = round((seconds[last] ?? 0) + (now - since) / 1000, 1)
    cpuSeconds[last] = round((cpuSeconds[last] ?? 0) + cpu - cpuSince, 1)
    ;[last, since, cpuSince] = [name, now, cpu]
  }
  for (let asked = 0; ; asked++) {
    const steps = await readSteps(instance(stores.relational))
    const failed = steps.find(({ failedReason }) => failedReason !== null)
    if (failed) throw new Error(`${failed.name}: ${failed.failedReason}`)
    const at = steps.findIndex(({ finishedAt }) => finishedAt === null)
    if (at === -1 || at === 4) break
    const phase = Number(steps[at]!.state['phase'] ?? 0)
    // In step 4, phase 0 copies rows, phases 1 to 3 migrate late changes, and the later phases verify the rows.
    if (steps[at]!.state['startedMs'] !== undefined)
      note(at < 3 ? `step ${at + 1}` : phase === 0 ? 'step 4' : phase < 4 ? 'changes' : 'proof')
    peak.runnerMB = Math.max(peak.runnerMB, anonymousMB(runner!.pid))
    peak.queryMB = Math.max(
      peak.queryMB,
      (await figure(
        stores,
        `(SELECT max(peak_memory_usage) FROM system.processes WHERE position(query, '${mark}') > 0 AND position(query, 'system.processes') = 0)`,
      )) / 1e6,
    )
    if (asked % 5 === 0) peak.diskBytes = Math.max(peak.diskBytes, await figure(stores, bytesOf('1')))
    await sleep(100)
  }
  note('end')
  return { seconds, cpuSeconds, peak }
}

async function plain(stores: Stores, ofBackfill: string) {
  const { columnStore } = stores
  const database = 'plain'
  await columnStore.command(`CREATE DATABASE IF NOT EXISTS ${database}`)
  await migrateColumnStore(columnStore, { database, clustered: false })
  const names = eventsColumns.map(({ name }) => name).join(', ')
  const months = await columnStore.query<{ month: string }>(
    `SELECT DISTINCT partition AS month FROM system.parts WHERE database = currentDatabase() AND table = 'events_full' AND active ORDER BY month DESC`,
  )
  const [startedAt, cpuBefore] = [performance.now(), engineCpu(stores)]
  for (const { month } of months)
    await columnStore.command(
      `INSERT INTO ${database}.events_full (${names}) SELECT ${names} FROM events_full WHERE toYYYYMM(start_time) = ${month} AND ${ofBackfill}`,
    )
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: engineCpu(stores) - cpuBefore }
}

/**
 * Fills a store with rows of only two months. A chunk contains rows of only one month. With more months, the chunks of the small store
 * would therefore not be full.
 */
async function fill({ columnStore }: Stores, observations: number): Promise<void> {
  const traces = Math.ceil(observations / 25)
  const of = { observations, traces, runItems: Math.ceil(observations / 250), endMs: Date.now() - 3_600_000, months: 2 }
  for (const statement of v3Store(of)) await columnStore.command(statement)
}

async function measure(observations: number) {
  return withStores(async stores => {
    await fill(stores, observations)
    const before = await figure(stores, bytesOf(`active AND ${oldTables}`))
    const others = await figure(stores, bytesOf(`NOT (${oldTables})`))
    const { seconds, cpuSeconds, peak } = await runToEnd(stores, {})
    const written = await figure(stores, `(SELECT count() FROM events_full WHERE endsWith(source, '-backfill'))`)
    const after = await figure(stores, bytesOf('active'))
    const events = await figure(stores, bytesOf(`active AND table IN ('events_full', 'events_core')`))
    const reference = await plain(stores, `endsWith(source, '-backfill')`)
    const sum = (of: Readonly<Record<string, number>>, names: readonly string[]) =>
      names.reduce((total, name) => total + (of[name] ?? 0), 0)
    // The steps that write rows to the events tables.
    const bringing = ['step 1', 'step 3', 'step 4']
    const all = [...bringing, 'step 2', 'changes', 'proof']
    const ratios = (of: readonly string[]) => ({
      time: round(reference.seconds / sum(seconds, of)),
      engineCpu: round(reference.cpuSeconds / sum(cpuSeconds, of)),
    })
    return {
      observations,
      written,
      seconds,
      engineCpuSeconds: cpuSeconds,
      plain: { seconds: round(reference.seconds, 1), engineCpuSeconds: round(reference.cpuSeconds, 1) },
      rowsPerSecond: {
        plain: Math.round(written / reference.seconds),
        events: Math.round(written / sum(seconds, bringing)),
        all: Math.round(written / sum(seconds, all)),
      },
      toPlain: { step3: ratios(['step 3']), bringing: ratios(bringing), all: ratios(all) },
      peakMB: { runner: peak.runnerMB, query: Math.round(peak.queryMB) },
      diskToOldTables: {
        peak: round((peak.diskBytes - others - before) / before),
        end: round((after - others - before) / before),
        events: round(events / before),
      },
    }
  })
}

/** Runs inserts one after the other for `forMs`, at a rate that the engine can sustain. */
async function insertTimes({ columnStore }: Stores, forMs: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + forMs
  for (let batch = 0; performance.now() < end; batch++) {
    const lines = Array.from({ length: 200 }, (_, at) =>
      JSON.stringify({
        ...{ project_id: 'live', trace_id: `live ${batch}`, span_id: `${Date.now()} ${at}`, type: 'SPAN', name: 'live', source: 'otel' },
        ...{
          start_time: new Date().toISOString(),
          event_ts: new Date().toISOString(),
          input: 'question '.repeat(100),
          output: 'answer '.repeat(100),
        },
      }),
    )
    const startedAt = performance.now()
    await columnStore.command(
      `INSERT INTO events_full SETTINGS date_time_input_format = 'best_effort' FORMAT JSONEachRow\n${lines.join('\n')}`,
    )
    times.push(performance.now() - startedAt)
    await sleep(Math.max(0, 150 - (performance.now() - startedAt)))
  }
  return times
}

/** Periods without the runner and periods with the runner alternate. Load of other programs then affects both results equally. */
async function measureLive(observations: number) {
  return withStores(async stores => {
    const { relational, cluster } = stores
    await fill(stores, observations)
    await setChainPaused(instance(relational), true)
    const [runner] = cluster.running.backfillRunners
    await runner!.stop()
    await runner!.start({ SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'true', SVC_BACKFILL_MAX_ROWS_PER_SECOND: String(rate) })
    const times: { with: number[]; without: number[] } = { with: [], without: [] }
    await insertTimes(stores, 5_000)
    const progress = async () =>
      JSON.stringify((await readSteps(instance(relational))).map(({ state }) => state['current'] ?? state['done']))
    for (let window = 0; window < windows; window++) {
      times.without.push(...(await insertTimes(stores, seconds * 1000)))
      await setChainPaused(instance(relational), false)
      const begun = await progress()
      await sleep(3_000)
      times.with.push(...(await insertTimes(stores, seconds * 1000)))
      if ((await progress()) === begun) throw new Error('The runner wrote nothing in its measuring window.')
      await setChainPaused(instance(relational), true)
      await sleep(5_000)
    }
    if ((await readSteps(instance(relational))).slice(0, 4).every(({ finishedAt }) => finishedAt !== null))
      throw new Error('The backfill ended before the measured windows: raise --rows, or lower --rate.')
    const of = (all: number[]) => {
      const sorted = all.toSorted((a, b) => a - b)
      return { inserts: sorted.length, p50Ms: round(quantile(sorted, 0.5), 1), p99Ms: round(quantile(sorted, 0.99), 1) }
    }
    const [withRunner, without] = [of(times.with), of(times.without)]
    return {
      observations,
      rate,
      with: withRunner,
      without,
      ratioP50: round(withRunner.p50Ms / without.p50Ms),
      ratioP99: round(withRunner.p99Ms / without.p99Ms),
    }
  })
}

async function part<T>(name: string, run: () => Promise<T>): Promise<T | undefined> {
  if (values.only !== undefined && values.only !== name) return undefined
  const measured = await run()
  process.stderr.write(`${name}: ${JSON.stringify(measured)}\n`)
  return measured
}

const small = await part('small', () => measure(rows))
const large = await part('large', () => measure(rows * 10))
const live = await part('live', () => measureLive(Math.max(rows, rate * seconds * windows * 2)))
console.log(
  JSON.stringify(
    {
      bench: 'backfill',
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
      small,
      large,
      live,
    },
    null,
    2,
  ),
)
