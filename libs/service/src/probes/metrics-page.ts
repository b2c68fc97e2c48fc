// Serves the metrics text to any number of clients, with at most a tenth of the process's time. Waiting requests share one rendering. A
// request never joins a rendering that has already started, so that no scrape gets outdated values.
import { setTimeout as sleep } from 'node:timers/promises'

export interface MetricsPageOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** Maximum length of the pause after a rendering. The pause takes nine times as long as the rendering, but at most this maximum. */
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
    // Requests that arrive from now on must get newer values.
    upcoming = undefined
    const startedAtMs = now()
    try {
      // Shared by all waiting requests.
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
