// A real Prometheus scrapes all services of a cluster under load. Each alert must fire and resolve. Every query of every dashboard must
// return data. The times in the alert rules are divided by thirty, but their thresholds are unchanged.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestCluster, type TestCluster } from '../../../apps/cluster/test/cluster.ts'
import { freePort, temporaryDirectory, waitFor } from '../../../libs/dev-servers/src/index.ts'
import { startEngine } from '../../../libs/embedded-engine/src/index.ts'
import { createColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import { scaledRules } from '../rules.ts'
import { dashboardQueries } from './dashboard-queries.ts'
import { faults } from './faults.ts'
import { type PrometheusServer, startPrometheus } from './prometheus-server.ts'
import { type AlertWatch, type Fired, provoke, watchAlerts } from './provoke.ts'
import { notProvoked, provokedBy, whatProvoked } from './seen-live.ts'
import { type SideGateway, startSideGateway } from './side-gateway.ts'
import type { Watched } from './watched.ts'
import { startWatchedLoad, type WatchedLoad } from './watched-load.ts'

const timeScale = 1 / 30
const leastSeconds = 600
const password = 'a-password-of-the-column-store'
const results = resolve(import.meta.dirname, '../../../.cache/watched')

const closers: (() => PromiseLike<unknown>)[] = []
let cluster: TestCluster
let prometheus: PrometheusServer
let alerts: AlertWatch
let side: SideGateway
let load: WatchedLoad
let watched: Watched
let startedAt = 0
const seen: Fired[] = []

beforeAll(async () => {
  prometheus = await startPrometheus(scaledRules(timeScale))
  closers.push(() => prometheus[Symbol.asyncDispose]())
  alerts = watchAlerts(prometheus)
  closers.push(() => alerts[Symbol.asyncDispose]())
  const directory = await temporaryDirectory('svc-watched-')
  closers.push(() => directory.remove())
  const engine = await startEngine({ dataDir: join(directory.path, 'engine'), port: 0, password })
  closers.push(() => engine.stop())
  const proxy = await createColumnStoreProxy(engine.url)
  closers.push(() => proxy.close())
  const apiPort = String(await freePort())
  cluster = await openTestCluster(
    {
      COLUMNSTORE_URL: proxy.url,
      COLUMNSTORE_USER: engine.user,
      COLUMNSTORE_PASSWORD: password,
      COLUMNSTORE_DB: engine.database,
      SVC_MIGRATION_V4_WRITE_MODE: 'dual',
      SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
      SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
      SVC_PROPAGATION_WINDOW_SECONDS: '5',
      SVC_PROPAGATION_GRACE_MS: '500',
      SVC_LOG_ACK_TIMEOUT_MS: '2s',
      PORT: apiPort,
      SVC_CANARY_URL: `http://127.0.0.1:${apiPort}`,
      SVC_LEDGER_AUDIT_MS: '2s',
      // The audit can use a whole core, so it finds missing data immediately.
      SVC_AUDIT_CPU_SHARE: '1',
      SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'false',
      SVC_CLUSTER_GATEWAYS: '1',
      SVC_CLUSTER_WRITERS: '1',
      SVC_CLUSTER_PROPAGATORS: '1',
    },
    { ownBroker: true },
  )
  closers.push(() => cluster.close())
  side = await startSideGateway(cluster, directory.path)
  closers.push(() => side.process.stop())
  const authorization = `Basic ${Buffer.from(`${engine.user}:${password}`).toString('base64')}`
  async function command(sql: string): Promise<void> {
    const response = await fetch(`${engine.url}/?database=${engine.database}`, { method: 'POST', headers: { authorization }, body: sql })
    if (!response.ok) throw new Error(await response.text())
  }
  watched = { cluster, side, columnStore: proxy, command }
  // One dashboard shows inserts whose result is unknown. The proxy drops two responses to cause such inserts.
  proxy.failInserts({ kind: 'drop-answer' }, { kind: 'drop-answer' })
}, 1_800_000)
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
}, 300_000)

test('an alert reports that nothing is scraped, and resolves with the first scrape', async () => {
  const from = performance.now()
  await waitFor(() => alerts.firedAt('SvcNotScraped', 0) !== undefined, { what: 'SvcNotScraped', timeoutMs: 120_000, everyMs: 200 })
  const { gateways, writers, propagators, apis, backfillRunners } = cluster.running
  const of = (service: string, processes: readonly { readonly probeUrl: string }[]) =>
    processes.map(({ probeUrl }) => ({ service, address: new URL(probeUrl).host }))
  await prometheus.scrape([
    ...of('gateway', [...gateways, side.process]),
    ...of('writer', writers),
    ...of('propagator', propagators),
    ...of('api', apis),
    ...of('backfill', backfillRunners),
  ])
  seen.push({ alert: 'SvcNotScraped', what: provokedBy.SvcNotScraped[0], afterSeconds: 0, endedAt: from })
  startedAt = Date.now()
  load = startWatchedLoad(cluster)
  closers.push(() => load[Symbol.asyncDispose]())
  await waitFor(() => (load.statuses[200] ?? 0) > 100, { what: 'a hundred requests', timeoutMs: 180_000, everyMs: 200 })
})

test.each(faults)(
  '$what',
  async fault => {
    const came = await provoke(fault, watched, alerts)
    seen.push(...came)
    for (const { alert, afterSeconds } of came) console.info(`${alert}: ${fault.what}; fired after ${afterSeconds} s`)
  },
  1_500_000,
)

test('the faults provoked every alert that is listed as provoked', () => {
  expect(whatProvoked(seen)).toEqual(provokedBy)
})

test('every alert resolves after its fault', async () => {
  const lasting = () => seen.filter(({ alert }) => alerts.overAt(alert) === undefined).map(({ alert }) => alert)
  await waitFor(() => lasting().length === 0, { what: 'the alerts to end', timeoutMs: 900_000, everyMs: 500 }).catch((cause: unknown) => {
    throw new Error(`${lasting().join(', ')} still fire`, { cause })
  })
}, 1_000_000)

test('after ten minutes of load every query of every dashboard has data', async () => {
  await waitFor(() => Date.now() - startedAt > leastSeconds * 1000, {
    what: 'ten minutes',
    timeoutMs: (leastSeconds + 60) * 1000,
    everyMs: 1_000,
  })
  const range = { from: startedAt / 1000, to: Date.now() / 1000, stepSeconds: 5 }
  const empty: string[] = []
  const queries = dashboardQueries({ rateInterval: '10s', range: '10m' })
  for (const query of queries) {
    const series = await prometheus.range(query.expr, range)
    const points = series.flatMap(({ values }) => values.filter(([, value]) => Number.isFinite(value)))
    if (points.length === 0) empty.push(`${query.dashboard}: ${query.panel} ${query.expr}`)
  }
  const lasted = seen.map(({ alert, endedAt, ...of }) => ({
    alert,
    ...of,
    overAfterSeconds: Math.round(((alerts.overAt(alert) ?? Number.NaN) - endedAt) / 1000),
  }))
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, 'alerts.json'), JSON.stringify({ timeScale, lasted, notProvoked, statuses: load.statuses }, null, 2))
  console.info(`${queries.length} queries; answers of the gateway: ${JSON.stringify(load.statuses)}`)
  console.info(lasted.map(({ alert, what, ...times }) => `${alert}: ${JSON.stringify(times)}`).join('\n'))
  expect(empty).toEqual([])
}, 900_000)
