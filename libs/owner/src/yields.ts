// Lets long work yield to the event loop, because the process possibly also serves requests.
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

export interface Yields {
  isDue(): boolean
  /** Yields to the event loop if a yield is due. */
  take(): Promise<unknown>
}

/** `isDue` reads the clock only at every `asks`-th call. */
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
