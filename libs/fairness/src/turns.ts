// Runs short work on the event loop in slices. Each iteration of the event loop runs one slice. The owners of the work take turns. Without
// slices, a hundred requests of a millisecond each would block all sockets for a tenth of a second.
import { createFairQueue } from './queue.ts'

export interface FairTurnsOptions {
  /** After this time, an iteration of the event loop starts no more work. */
  readonly sliceMs: number
  readonly clock?: () => number
  /** Calls `callback` in a later iteration of the event loop, after sockets have been read. */
  readonly nextTurn?: (callback: () => void) => void
}

export interface FairTurns {
  /**
   * Runs `work` immediately if no other work waits and the current iteration of the event loop has time left. In all other cases, `work`
   * waits for its owner's turn.
   */
  run<T>(owner: string, work: () => T): Promise<T>
  readonly waiting: number
}

export function createFairTurns({ sliceMs, clock = () => performance.now(), nextTurn = setImmediate }: FairTurnsOptions): FairTurns {
  const queue = createFairQueue<() => void>()
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
