// Refreshes a probe's data without delaying the probe: the probe waits briefly, then uses the previous data.
import { setTimeout as sleep } from 'node:timers/promises'

const defaultPatienceMs = 1_000

/**
 * Joins a running refresh or starts one. Resolves when the refresh is done or the patience is over. Failures go to `onError`,
 * and the previous data stays.
 */
export function createPatientRefresh(
  refresh: () => Promise<void>,
  onError: (error: unknown) => void,
  patienceMs = defaultPatienceMs,
): () => Promise<void> {
  let running: Promise<void> | undefined
  return async () => {
    running ??= refresh()
      .catch(onError)
      .finally(() => {
        running = undefined
      })
    const late = new AbortController()
    await Promise.race([running, sleep(patienceMs, undefined, { signal: late.signal }).catch(() => undefined)])
    late.abort()
  }
}
