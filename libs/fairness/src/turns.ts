// Runs short work on the event loop in slices, alternating between owners. A hundred ready requests of one millisecond each
// would otherwise block all sockets for a tenth of a second; instead, each iteration of the loop runs one slice.
import { createFairQueue } from './queue.ts'

export interface FairTurnsOptions {
  /** Time of work per loop iteration, not counting the last piece. */
  readonly sliceMs: number
  readonly clock?: () => number
  /** Calls back in another loop iteration, after sockets have been read. */
  readonly nextTurn?: (callback: () => void) => void
}

export interface FairTurns {
  /**
   * Runs at once when no work waits and this iteration has time left; otherwise runs when the owner's share comes. Rejects with
   * the error of `work`.
   */
  run<T>(owner: string, work: () => T): Promise<T>
  readonly waiting: number
}

export function createFairTurns({ sliceMs, clock = () => performance.now(), nextTurn = setImmediate }: FairTurnsOptions): FairTurns {
  const queue = createFairQueue<() => void>()
  /** Time worked in this loop iteration. */
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
