// Limits the audit to its share of a core by pausing after work.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Pace {
  /**
   * Runs the work and then pauses. The pause is in proportion to the duration of the work. The duration includes the time of the column
   * store, because the column store can run on the same machine.
   */
  after<T>(work: () => Promise<T>): Promise<T>
}

/** Timers are not precise enough for shorter pauses, so shorter pauses are added up until they reach this time. */
const shortestRestMs = 20

/** `share` is the share of one core: above 0, and at most 1. `signal` ends a pause early. */
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
