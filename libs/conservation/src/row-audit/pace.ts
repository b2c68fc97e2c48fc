// Limits the audit to its share of a core.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Pace {
  /**
   * Pauses after the work, in proportion to the work's duration. The duration includes the wait for the column store, because the column
   * store can run on the same machine and use its cores.
   */
  after<T>(work: () => Promise<T>): Promise<T>
}

/** Timers are imprecise for shorter pauses, so pauses are summed up until they reach this time. */
const shortestRestMs = 20

/** `share` is the allowed share of one core, above 0 and at most 1. `signal` ends a pause early. */
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
