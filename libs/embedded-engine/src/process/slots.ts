// Limits how many statements run at the same time, and how many wait in a queue. Many simultaneous inserts would exceed the memory limit,
// and an unlimited queue would grow forever.
import { SqlRefused } from '../sql/refused.ts'

export interface Slots {
  /**
   * Resolves with the function that releases the slot. Rejects with TOO_MANY_SIMULTANEOUS_QUERIES if the queue is full or the wait is too
   * long.
   */
  acquire(signal?: AbortSignal): Promise<() => void>
  readonly running: number
  readonly waiting: number
  /** Resolves when no statement is running or waiting. */
  idle(): Promise<void>
}

export interface SlotOptions {
  readonly name: string
  readonly slots: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

interface Waiter {
  grant(): void
}

export const createSlots = ({ name, slots, maxWaiting, maxWaitMs }: SlotOptions): Slots => {
  const queue: Waiter[] = []
  const idleWaiters: (() => void)[] = []
  let running = 0

  const overload = (why: string): SqlRefused =>
    new SqlRefused(
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries: ${why} (${running} ${name} running, ${queue.length} waiting)`,
    )

  const release = (): (() => void) => {
    let given = false
    return () => {
      if (given) return
      given = true
      const next = queue.shift()
      if (next) return next.grant()
      running -= 1
      if (running === 0) for (const resolve of idleWaiters.splice(0)) resolve()
    }
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return queue.length
    },
    async acquire(signal) {
      if (running < slots) {
        running += 1
        return release()
      }
      if (queue.length >= maxWaiting) throw overload('the queue is full')
      return new Promise((resolve, reject) => {
        const leave = (error: Error) => {
          queue.splice(queue.indexOf(waiter), 1)
          settle()
          reject(error)
        }
        const timer = setTimeout(() => leave(overload(`no slot within ${maxWaitMs} ms`)), maxWaitMs)
        const onAbort = () => leave(overload('the caller left'))
        const settle = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
        }
        const waiter: Waiter = {
          grant() {
            settle()
            resolve(release())
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        queue.push(waiter)
      })
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise(resolve => idleWaiters.push(resolve))),
  }
}
