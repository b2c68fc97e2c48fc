// The metrics as text for whoever asks, however many ask: those who wait share one rendering, and all
// renderings together take a tenth of the time. Every answer is rendered after its request came: no scrape
// sees old numbers.
import { setTimeout as sleep } from 'node:timers/promises'

export interface MetricsPageOptions {
  /** Monotonic, milliseconds. */
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** A rendering that took long is followed by a pause of nine times as long, at most this. */
const longestPauseMs = 1_000

export function createMetricsPage(render: () => Promise<string>, options: MetricsPageOptions = {}): () => Promise<Buffer> {
  const { now = () => performance.now(), wait = sleep } = options
  let upcoming: Promise<Buffer> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let freeAtMs = Number.NEGATIVE_INFINITY

  async function renderNext(): Promise<Buffer> {
    await last
    const pauseMs = freeAtMs - now()
    if (pauseMs > 0) await wait(pauseMs)
    // Whoever comes from here on wants what happens from here on.
    upcoming = undefined
    const startedAtMs = now()
    try {
      // Bytes once, not once for everybody who waits.
      return Buffer.from(await render())
    } finally {
      freeAtMs = now() + Math.min(longestPauseMs, 9 * (now() - startedAtMs))
    }
  }

  return () => {
    if (upcoming !== undefined) return upcoming
    const page = renderNext()
    upcoming = page
    last = page.catch(() => {})
    return page
  }
}
