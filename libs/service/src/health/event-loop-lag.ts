// Measures how late the event loop runs timers. This delay shows how long requests wait for the event loop. The measurement has its own
// timer, because each reset of perf_hooks' histogram discards the timer interval that has not ended yet.
import { createHistogram } from 'node:perf_hooks'

export interface EventLoopLag {
  /** Longest delay in seconds, including a delay that has not ended yet. */
  readonly maxSeconds: number
  readonly p99Seconds: number
  /** Starts a new window. Only one caller may use this method, usually the scrape of the metrics. */
  reset(): void
  stop(): void
}

const intervalMs = 20
const microsecondsPerSecond = 1e6

export const createEventLoopLag = (): EventLoopLag => {
  const delays = createHistogram()
  let due = performance.now() + intervalMs
  const lateMicroseconds = () => Math.max(0, Math.round((performance.now() - due) * 1000))

  const timer = setInterval(() => {
    // A histogram accepts only integers from 1 upward.
    delays.record(Math.max(1, lateMicroseconds()))
    due = performance.now() + intervalMs
  }, intervalMs)
  timer.unref()

  return {
    get maxSeconds() {
      return Math.max(delays.count === 0 ? 0 : delays.max, lateMicroseconds()) / microsecondsPerSecond
    },
    get p99Seconds() {
      return (delays.count === 0 ? lateMicroseconds() : delays.percentile(99)) / microsecondsPerSecond
    },
    reset: () => delays.reset(),
    stop: () => clearInterval(timer),
  }
}
