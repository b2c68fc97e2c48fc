// Limits work that mainly waits for other systems, such as queries, to a number of slots. Owners get slots in turn, and no owner can occupy
// all slots.
import { AppError } from '@svc-server/errors'
import { createFairQueue } from './queue.ts'

export interface FairPlacesOptions {
  readonly places: number
  readonly mostOfOne: number
  /** Maximum waiting work of one owner, in addition to its running work. At least 1. */
  readonly mostWaiting: number
}

export interface FairPlaces {
  /** Rejects with the error of `work`, or with `overloaded` if too much work of this owner is waiting. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
  readonly waiting: number
}

interface Held {
  working: number
  waiting: number
}

export function createFairPlaces({ places, mostOfOne, mostWaiting }: FairPlacesOptions): FairPlaces {
  const queue = createFairQueue<() => void>()
  const held = new Map<string, Held>()
  let working = 0

  const mayWork = (owner: string) => held.get(owner)!.working < mostOfOne

  function heldBy(owner: string): Held {
    const known = held.get(owner)
    if (known !== undefined) return known
    const none = { working: 0, waiting: 0 }
    held.set(owner, none)
    return none
  }

  function begin(): void {
    while (working < places) {
      const next = queue.take(mayWork)
      if (next === undefined) return
      const of = heldBy(next.owner)
      of.waiting--
      of.working++
      working++
      next.item()
    }
  }

  return {
    get waiting() {
      return queue.length
    },
    async run(owner, work) {
      const of = heldBy(owner)
      if (of.waiting >= mostWaiting) throw new AppError('overloaded', `${of.waiting} requests of this project are already waiting.`)
      of.waiting++
      await new Promise<void>(resolve => {
        queue.push(owner, resolve)
        begin()
      })
      try {
        return await work()
      } finally {
        working--
        of.working--
        if (of.working + of.waiting === 0) held.delete(owner)
        begin()
      }
    },
  }
}
