// Short work on the event loop, in slices and by turns. A millisecond for each of a hundred requests that are ready at once is a tenth of a second in
// which nobody else's socket is read; so a turn of the loop does a slice of it, and owners take turns.
import { createFairQueue } from './queue.ts'

export interface FairTurnsOptions {
  /** How long one turn of the loop may be worked, the last piece of work not counted. */
  readonly sliceMs: number
  readonly clock?: () => number
  /** Calls back in another turn of the loop, when sockets have been read. */
  readonly nextTurn?: (callback: () => void) => void
}

export interface FairTurns {
  /** Works at once when nobody waits and this turn has time left, else when it is the owner's turn. Rejects with what `work` throws. */
  run<T>(owner: string, work: () => T): Promise<T>
  readonly waiting: number
}

export function createFairTurns({ sliceMs, clock = () => performance.now(), nextTurn = setImmediate }: FairTurnsOptions): FairTurns {
  const queue = createFairQueue<() => void>()
  /** Worked in this turn of the loop. */
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
