// Refreshes the data of a probe. The probe waits briefly for the refresh. If the refresh fails or takes longer, the probe uses the previous
// data.
import { setTimeout as sleep } from 'node:timers/promises'

const defaultPatienceMs = 1_000

/**
 * The returned function resolves when the refresh is done, or after a short time. A call during a refresh waits for this refresh and starts
 * no other. After a failure, the previous data remains.
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
