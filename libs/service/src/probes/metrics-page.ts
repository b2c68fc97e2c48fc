// Serves the metrics text to any number of clients. Waiting requests share one rendering, and the process spends at most a tenth of its
// time on renderings. Every request gets a rendering that started after the request arrived, so no scrape gets outdated values.
import { setTimeout as sleep } from 'node:timers/promises'

export interface MetricsPageOptions {
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** Maximum pause between renderings; the pause is nine times as long as the rendering took. */
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
    // Requests that arrive during a rendering wait for the next one, because they must get newer values.
    upcoming = undefined
    const startedAtMs = now()
    try {
      // All waiting requests share these encoded bytes.
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
