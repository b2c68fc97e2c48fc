// Serves the metrics text to any number of clients. Waiting requests share one rendering, and renderings use at most a tenth of
// the time. Each response is rendered after its request arrived, so no scrape sees old values.
import { setTimeout as sleep } from 'node:timers/promises'

export interface MetricsPageOptions {
  /** Monotonic, milliseconds. */
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** After a slow rendering, the page pauses nine times as long, up to this limit. */
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
    // Later requests must see later values, so they get the next rendering.
    upcoming = undefined
    const startedAtMs = now()
    try {
      // Encodes the bytes once for all waiting requests.
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
