// Kills and freezes processes again and again during a long, steady load.
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '@svc-server/testkit'
import { expect } from 'vitest'
import type { ServiceProcess } from '../src/service-process.ts'
import { openTestCluster, type TestCluster } from './cluster.ts'
import { expectAccountedFor, expectConserved } from './conserved.ts'
import { createLoad, post, type Sent } from './load.ts'
import { createFaults, type Faults } from './siege-faults.ts'

export interface Siege {
  readonly seconds: number
  readonly spansPerSecond: number
  readonly faultEverySeconds: number
  readonly seed: number
}

const lanes = 16
/** One request in five goes through staging. */
const stagedEvery = 5
const probeEveryMs = 2_000
const giveUpMs = 120_000
const saidLines = 20

const settings = {
  SVC_KAFKA_SESSION_TIMEOUT_MS: '10s',
  SVC_PROPAGATION_WINDOW_SECONDS: '20',
  SVC_LEDGER_AUDIT_MS: '5s',
}

export async function siege({ seconds, spansPerSecond, faultEverySeconds, seed }: Siege): Promise<void> {
  const cluster = await openTestCluster(settings, { ownBroker: true })
  try {
    const faults = createFaults(cluster, createRandom(seed))
    const until = performance.now() + seconds * 1000
    const watch = watchTruth(cluster, faults)
    const sending = steadyLoad(cluster, { seed, until, spansPerSecond })
    sending.catch(() => {})
    while (performance.now() < until) {
      const next = performance.now() + faultEverySeconds * 1000
      await faults.next()
      await sleep(Math.max(0, next - performance.now()))
    }
    const sent = await sending
    const conserved = await expectConserved(cluster, [sent])
    await expectAccountedFor(cluster)
    const { untrue, doubled } = await watch.stop()
    const summary = { ...conserved, statuses: sent.statuses, slowestMs: Math.round(sent.slowestMs), faults: faults.all.length }
    console.info(`${seconds} s under siege, seed ${seed}: ${JSON.stringify(summary)}\n${faults.all.map(({ what }) => what).join(', ')}`)
    expect(untrue).toEqual([])
    expect(doubled).toEqual([])
  } finally {
    await cluster.close()
  }
}

/** Resends each request until it is acknowledged, as an exporter does. */
async function steadyLoad(
  { running }: TestCluster,
  { seed, until, spansPerSecond }: { readonly seed: number; readonly until: number; readonly spansPerSecond: number },
): Promise<Sent> {
  const load = createLoad(`siege ${seed}`, 1_000_000_000)
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const identities = new Set<string>()
  const statuses: Record<number, number> = {}
  const startedAt = performance.now()
  let [next, sentSpans, sentAgain, slowestMs] = [0, 0, 0, 0]

  async function untilAcknowledged(index: number): Promise<void> {
    const { body, spans, identities: own } = load.request(index)
    const ingestionVersion = index % stagedEvery === 0 ? '3' : '4'
    sentSpans += spans
    const deadline = performance.now() + giveUpMs
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      if (attempt === 1) sentAgain += spans
      const { url } = running.gateways[(index + attempt) % running.gateways.length]!
      const answer = await Promise.race([post(running, url, body, { agent, ingestionVersion }), sleep(20_000, null)])
      const status = answer?.status ?? 0
      statuses[status] = (statuses[status] ?? 0) + 1
      slowestMs = Math.max(slowestMs, answer?.tookMs ?? 20_000)
      if (status === 200 && answer?.body.length === 0) {
        for (const identity of own) identities.add(identity)
        return
      }
      if (status !== 0 && status < 429) throw new Error(`refused for good: ${status} ${answer?.body.toString('latin1')}`)
      await sleep(200)
    }
    throw new Error(`request ${index} was not acknowledged in ${giveUpMs} ms: ${JSON.stringify(statuses)}`)
  }
  const lane = async () => {
    while (performance.now() < until) {
      const aheadMs = (sentSpans / spansPerSecond) * 1000 - (performance.now() - startedAt)
      if (aheadMs > 0) await sleep(Math.min(aheadMs, 1_000))
      else await untilAcknowledged(next++)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  agent.destroy()
  return { identities, sentAgain, statuses, slowestMs, seconds: (performance.now() - startedAt) / 1000 }
}

/** Queries all probes. Also looks for duplicate rows before a merge can remove them. */
function watchTruth({ running, lines, query }: TestCluster, faults: Faults) {
  const services = [...running.gateways, ...running.writers, ...running.propagators]
  const untrue: string[] = []
  const doubled: string[] = []
  const note = (list: string[], line: string) => {
    list.push(line)
    console.info(
      `${line}\n${faults.all
        .slice(-3)
        .map(({ what }) => what)
        .join(', ')}\n${lines.slice(-saidLines).join('\n')}`,
    )
  }
  const startedAt = performance.now()
  let stopped = false
  const at = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`

  async function ask(service: ServiceProcess): Promise<void> {
    for (const probe of ['live', 'ready', 'progress']) {
      const excused = faults.excuses(service)
      const answer = await fetch(`${service.probeUrl}/health/${probe}`, { signal: AbortSignal.timeout(5_000) }).then(
        async response => (response.ok ? null : `${response.status} ${await response.text()}`),
        (error: unknown) => String(error),
      )
      if (answer !== null && !excused && !faults.excuses(service)) note(untrue, `${at()} ${service.name} ${probe}: ${answer.slice(0, 400)}`)
    }
    if (!service.running && !faults.excuses(service)) note(untrue, `${at()} ${service.name} has ended by itself`)
  }
  async function askForDoubles(): Promise<void> {
    const rows = await query<{ twice: string }>(
      `SELECT toString(count() - uniqExact(blob_storage_file_path)) AS twice FROM events_full
       WHERE event_ts > now() - INTERVAL 2 MINUTE`,
    ).catch(() => [])
    if (rows.some(({ twice }) => twice !== '0')) note(doubled, `${at()} ${rows[0]?.twice} rows are there twice`)
  }
  const watching = (async () => {
    for (let round = 0; !stopped; round++) {
      await Promise.all(services.map(ask))
      if (round % 5 === 0) await askForDoubles()
      await sleep(probeEveryMs)
    }
  })()
  return {
    async stop() {
      stopped = true
      await watching
      if (
        (running.stores.engine?.restarts ?? 0) >
        faults.enginesKilled + faults.all.filter(({ what }) => what.startsWith('freeze column')).length
      )
        untrue.push(`the column store was replaced ${running.stores.engine?.restarts} times`)
      return { untrue, doubled }
    },
  }
}
