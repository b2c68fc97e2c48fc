// Starts and ends a fault, and records when its alerts fired and resolved.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import type { PrometheusServer } from './prometheus-server.ts'
import type { Provoked } from './seen-live.ts'
import type { Fault, Watched } from './watched.ts'

export interface AlertWatch extends AsyncDisposable {
  /** First time after `since` at which the alert fired, measured by `performance.now()`. */
  firedAt(alert: string, since: number): number | undefined
  fires(alert: string): boolean
  /** Undefined if the alert is firing or has never fired. */
  overAt(alert: string): number | undefined
}

interface Episode {
  readonly from: number
  to: number | undefined
}

const everyMs = 500

export function watchAlerts(prometheus: PrometheusServer): AlertWatch {
  const episodes = new Map<string, Episode[]>()
  const stopping = new AbortController()
  async function look(): Promise<void> {
    const firing = await prometheus.firing()
    const now = performance.now()
    for (const alert of firing) {
      const of = episodes.get(alert) ?? []
      if (of.at(-1) === undefined || of.at(-1)!.to !== undefined) of.push({ from: now, to: undefined })
      episodes.set(alert, of)
    }
    for (const [alert, of] of episodes) if (!firing.has(alert)) of.at(-1)!.to ??= now
  }
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      // The next round queries again.
      await look().catch(() => {})
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    firedAt: (alert, since) => episodes.get(alert)?.find(({ from }) => from >= since)?.from,
    fires: alert => episodes.get(alert)?.at(-1)?.to === undefined && episodes.has(alert),
    overAt: alert => episodes.get(alert)?.at(-1)?.to,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await watching
    },
  }
}

export interface Fired {
  readonly alert: string
  readonly what: string
  readonly afterSeconds: number
  /** As `performance.now()`. */
  readonly endedAt: number
}

/** Some alerts fire only when the oldest work is two minutes old. Others fire only when work was late for much of a shortened window. */
const firesWithinMs = 480_000
const seconds = (ms: number) => Math.round(ms / 1000)

/** Resolves when all alerts of the fault have fired and the fault has ended. Alerts may resolve later. */
export async function provoke(fault: Fault, watched: Watched, alerts: AlertWatch): Promise<readonly Fired[]> {
  const { what, afterwards = [] } = fault
  const expected = [...fault.alerts, ...afterwards]
  const isQuiet = () => expected.every(alert => !alerts.fires(alert))
  // Without this wait, alerts of the previous fault would be attributed to the current fault.
  await waitFor(isQuiet, { what: 'earlier alerts to end', timeoutMs: firesWithinMs, everyMs: 500 })
  const beganAt = performance.now()
  async function allFire(those: readonly Provoked[]): Promise<void> {
    const missing = () => those.filter(alert => alerts.firedAt(alert, beganAt) === undefined)
    const haveFired = () => missing().length === 0
    await waitFor(haveFired, { what: 'alerts to fire', timeoutMs: firesWithinMs, everyMs: 500 }).catch((cause: unknown) => {
      throw new Error(`${what}: ${missing().join(', ')} did not fire`, { cause })
    })
  }
  const end = await fault.begin(watched)
  try {
    await allFire(fault.alerts)
  } finally {
    await end?.()
  }
  const endedAt = performance.now()
  await allFire(afterwards)
  return expected.map(alert => ({
    alert,
    what,
    afterSeconds: seconds(alerts.firedAt(alert, beganAt)! - beganAt),
    endedAt,
  }))
}
