// What a probe asks for must not make it late: it waits for a moment, and goes on with what was known.
import { setTimeout as sleep } from 'node:timers/promises'

const defaultPatienceMs = 1_000

/**
 * Refreshes with whoever is refreshing already, and resolves when that is done, or after the patience.
 * Failures go to `onError`: what was known stands.
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
