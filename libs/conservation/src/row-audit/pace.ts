// Holds the audit to its share of a core: what it did for a while is followed by a rest.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Pace {
  /**
   * Runs it, and rests after it. The time that the column store takes counts as well: it may be the same
   * machine's.
   */
  after<T>(work: () => Promise<T>): Promise<T>
}

/** Rests below this are put together: timers are no finer. */
const shortestRestMs = 20

/** `share`: of one core, above 0, at most 1. `signal` ends a rest. */
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
