// Whether a store answers, asked behind the probes and not by them: a probe that waits for a frozen store
// answers late, and probes by the hundred must not become questions by the hundred.
import { type CheckResult, healthy, unhealthy } from './health.ts'

export interface StoreWatch {
  /** Red while the store has not answered for longer than the threshold, and green with its next answer. */
  check(): CheckResult
  start(): void
  stop(): void
}

export interface StoreWatchOptions {
  /** Begins the sentence: "The column store". */
  readonly name: string
  /** A question that costs the store nothing. It may never answer. */
  readonly ask: () => Promise<unknown>
  readonly thresholdMs: number
  /** Between questions; default: a fifth of the threshold. */
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
   * One question at a time; one that has waited for the whole threshold may never come back, and is asked
   * again.
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
      return unhealthy(`${name} has not answered for ${Math.round(silentMs / 1000)} s${failure === null ? '' : `: ${failure}`}`)
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
