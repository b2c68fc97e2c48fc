// Lets long work yield to the event loop every few milliseconds, because the same process can also be serving requests.
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

export interface Yields {
  isDue(): boolean
  /** If a yield is due, the promise resolves only after the event loop has run other callbacks. */
  take(): Promise<unknown>
}

/** `asks` is the number of work items after which the clock is read again. */
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
