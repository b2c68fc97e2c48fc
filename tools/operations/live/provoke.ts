// Starts and ends a fault. Records when the alerts of the fault fired and resolved.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import type { PrometheusServer } from './prometheus-server.ts'
import type { Provoked } from './seen-live.ts'
import type { Fault, Watched } from './watched.ts'

export interface AlertWatch extends AsyncDisposable {
  /** Returns the first time after `since` at which the alert fired. Times are those of `performance.now()`. */
  firedAt(alert: string, since: number): number | undefined
  fires(alert: string): boolean
  /** Returns the time at which the alert stopped firing. Returns undefined if the alert is still firing or has never fired. */
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
      // An error does not matter, because the next round queries again.
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
  /** Time at which the fault ended, as `performance.now()`. */
  readonly endedAt: number
}

/**
 * Time limit for an alert to fire. Some alerts fire only when the oldest work is two minutes old. Other alerts look at a window of time,
 * and fire only if work was late during a large part of this window. The test divides these windows by thirty, and keeps the two minutes.
 */
const firesWithinMs = 480_000
const seconds = (ms: number) => Math.round(ms / 1000)

/**
 * Starts the fault and ends it after its alerts have fired. The function returns when all alerts of the fault have fired. It does not wait
 * until the alerts resolve.
 */
export async function provoke(fault: Fault, watched: Watched, alerts: AlertWatch): Promise<readonly Fired[]> {
  const { what, afterwards = [] } = fault
  const expected = [...fault.alerts, ...afterwards]
  const isQuiet = () => expected.every(alert => !alerts.fires(alert))
  // Waits until none of the expected alerts fires any more. An alert that still fires because of the previous fault would otherwise count
  // for this fault.
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
