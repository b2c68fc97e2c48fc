// Runs short work on the event loop in slices. The owners take turns. Without slices, a hundred ready requests of a millisecond each would
// block all sockets for a tenth of a second. Each iteration of the event loop runs only one slice.
import { createFairQueue } from './queue.ts'

export interface FairTurnsOptions {
  /** After this much work, an iteration of the event loop starts no more work. */
  readonly sliceMs: number
  readonly clock?: () => number
  /** Calls the callback in a later iteration of the event loop, after reading sockets. */
  readonly nextTurn?: (callback: () => void) => void
}

export interface FairTurns {
  /**
   * Runs `work` immediately if no work waits and this iteration has time left. If not, `work` waits for its owner's turn. Rejects with the
   * error of `work`.
   */
  run<T>(owner: string, work: () => T): Promise<T>
  readonly waiting: number
}

export function createFairTurns({ sliceMs, clock = () => performance.now(), nextTurn = setImmediate }: FairTurnsOptions): FairTurns {
  const queue = createFairQueue<() => void>()
  /** Time of the work in this iteration of the event loop. */
  let workedMs = 0
  let turnIsOver = true

  function spend(work: () => void): void {
    const startedAt = clock()
    work()
    workedMs += clock() - startedAt
    if (!turnIsOver) return
    turnIsOver = false
    nextTurn(begin)
  }

  function begin(): void {
    workedMs = 0
    turnIsOver = true
    while (workedMs < sliceMs) {
      const next = queue.take()
      if (next === undefined) return
      spend(next.item)
    }
  }

  return {
    get waiting() {
      return queue.length
    },
    run<T>(owner: string, work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const settle = () => {
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        }
        if (queue.length === 0 && workedMs < sliceMs) spend(settle)
        else queue.push(owner, settle)
      })
    },
  }
}
