// How late the event loop runs its timers: the figure that says whether heavy work hurts requests in the same
// process. A timer of our own, because the histogram of perf_hooks forgets the interval it is in whenever it
// is reset.
import { createHistogram } from 'node:perf_hooks'

export interface EventLoopLag {
  /** Longest delay since the window began, seconds; includes one that is going on. */
  readonly maxSeconds: number
  readonly p99Seconds: number
  /** Begins a new window. One reader owns the windows, usually the metric's scrape. */
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
    // A histogram holds integers from 1.
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
