// How late the event loop runs its timers: the figure that says whether heavy work hurts requests in the same process.
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface EventLoopLag {
  /** Longest delay since the window began, seconds. */
  readonly maxSeconds: number
  readonly p99Seconds: number
  /** Begins a new window. One reader owns the windows, usually the metric's scrape. */
  reset(): void
  stop(): void
}

const resolutionMs = 10
const nanosecondsPerSecond = 1e9

export const createEventLoopLag = (): EventLoopLag => {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  // The histogram holds intervals between ticks of its timer: an idle loop shows the resolution, which is not lag.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / nanosecondsPerSecond - resolutionMs / 1000)

  return {
    get maxSeconds() {
      return delay.count === 0 ? 0 : seconds(delay.max)
    },
    get p99Seconds() {
      return delay.count === 0 ? 0 : seconds(delay.percentile(99))
    },
    reset: () => delay.reset(),
    stop: () => void delay.disable(),
  }
}
