// Checks in the background whether a store responds, so that a probe does not have to query the store. If each probe queried a hanging
// store, the probe would respond late, and hundreds of probes would send hundreds of queries.
import { type CheckResult, healthy, unhealthy } from './health.ts'

export interface StoreWatch {
  /** The check is healthy again after the store's next response. */
  check(): CheckResult
  start(): void
  stop(): void
}

export interface StoreWatchOptions {
  /** Name of the store at the beginning of a sentence, such as "The column store". */
  readonly name: string
  /** Sends a cheap query to the store. The promise may never settle. */
  readonly ask: () => Promise<unknown>
  readonly thresholdMs: number
  /** Pause between two queries; by default, a fifth of the threshold. */
  readonly intervalMs?: number
  readonly monotonicNow?: () => number
}

export function createStoreWatch(options: StoreWatchOptions): StoreWatch {
  const { name, ask, thresholdMs, intervalMs = thresholdMs / 5, monotonicNow = () => performance.now() } = options
  let answeredAt = monotonicNow()
  let failure: string | null = null
  let askedAt: number | null = null
  let timer: NodeJS.Timeout | undefined

  /**
   * Starts a query, unless a query is already pending. A query that has been pending for longer than the threshold does not prevent a new
   * query, because such a query may never settle.
   */
  function tick(): void {
    const now = monotonicNow()
    if (askedAt !== null && now - askedAt <= thresholdMs) return
    askedAt = now
    const settle = (reason: string | null) => {
      if (reason === null) answeredAt = monotonicNow()
      failure = reason
      if (askedAt === now) askedAt = null
    }
    ask().then(
      () => settle(null),
      (error: unknown) => settle(error instanceof Error ? error.message : String(error)),
    )
  }

  return {
    check() {
      if (timer === undefined) return healthy
      const silentMs = monotonicNow() - answeredAt
      if (silentMs <= thresholdMs) return healthy
      return unhealthy(`${name} has not responded for ${Math.round(silentMs / 1000)} s${failure === null ? '' : `: ${failure}`}`)
    },
    start() {
      answeredAt = monotonicNow()
      tick()
      timer ??= setInterval(tick, intervalMs)
      timer.unref()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}
