// Lets long work yield to the event loop every few milliseconds, because the process possibly also serves requests.
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

export interface Yields {
  isDue(): boolean
  /** If a yield is due, the promise resolves after the event loop has run other callbacks. */
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
