// Long work on the event loop, which may serve requests as well: others get a turn every few milliseconds.
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

export interface Rests {
  isDue(): boolean
  /** When it is due; resolves after the others had their turn. */
  take(): Promise<unknown>
}

/** `asks`: how many pieces of work pass between two looks at the clock. */
export function createRests(asks = 16): Rests {
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
