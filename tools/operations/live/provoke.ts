// A fault, begun and ended, and when its alerts came; and of all alerts, when each fired and when it was over.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import type { PrometheusServer } from './prometheus-server.ts'
import type { Provoked } from './seen-live.ts'
import type { Fault, Watched } from './watched.ts'

export interface AlertWatch extends AsyncDisposable {
  /** When it fired first since then, or undefined; `performance.now()`. */
  firedAt(alert: string, since: number): number | undefined
  fires(alert: string): boolean
  /** When it fired last; undefined while it fires, and for one that never did. */
  overAt(alert: string): number | undefined
}

interface Episode {
  readonly from: number
  to: number | undefined
}

const everyMs = 500

/** Asks Prometheus twice a second what fires. */
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
      // What is not heard once is asked again.
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
  /** When the fault ended; `performance.now()`. */
  readonly endedAt: number
}

/** Some want work that is two minutes old, or a share of late ones over the scaled windows. */
const firesWithinMs = 480_000
const seconds = (ms: number) => Math.round(ms / 1000)

/** Resolves when each alert of the fault has fired, and the fault has ended; whether they are over is seen later. */
export async function provoke(fault: Fault, watched: Watched, alerts: AlertWatch): Promise<readonly Fired[]> {
  // What fires because of the fault before says nothing of this one.
  const { what, afterwards = [] } = fault
  const expected = [...fault.alerts, ...afterwards]
  const isQuiet = () => expected.every(alert => !alerts.fires(alert))
  await waitFor(isQuiet, { what: 'earlier alerts to be over', timeoutMs: firesWithinMs, everyMs: 500 })
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
