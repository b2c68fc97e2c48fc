// Makes long work yield to the event loop every few milliseconds, because the same process may also serve requests.
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

export interface Yields {
  isDue(): boolean
  /** Yields to the event loop if a yield is due, and then resolves after other callbacks have run. */
  take(): Promise<unknown>
}

/** `asks` is the number of work items between two readings of the clock. */
export function createYields(asks = 16): Yields {
  let dueAt = performance.now() + sliceMs
  let asked = 0
  return {
    isDue: () => ++asked % asks === 0 && performance.now() >= dueAt,
    async take() {
      await nextTurn()
      dueAt = performance.now() + sliceMs
    },
  }
}
