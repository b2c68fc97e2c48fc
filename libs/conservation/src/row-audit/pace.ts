// Limits the audit to its share of a core by pausing after work.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Pace {
  /**
   * Runs the work and pauses after it. The column store's time counts as well, because it may run on the same
   * machine.
   */
  after<T>(work: () => Promise<T>): Promise<T>
}

/** Shorter pauses are accumulated, because timers are no finer. */
const shortestRestMs = 20

/** `share` of one core: above 0, at most 1. `signal` ends a pause. */
export function createPace(share: number, signal: AbortSignal): Pace {
  let owedMs = 0
  return {
    async after(work) {
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        owedMs += (performance.now() - startedAt) * (1 / share - 1)
        if (owedMs >= shortestRestMs && !signal.aborted) {
          const restMs = owedMs
          owedMs = 0
          await sleep(restMs, undefined, { signal, ref: false }).catch(() => {})
        }
      }
    },
  }
}
