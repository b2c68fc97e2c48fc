// Limits work that mainly waits, for example for a query, to a number of slots. The owners take turns, and no owner can occupy all slots.
import { AppError } from '@svc-server/errors'
import { createFairQueue } from './queue.ts'

export interface FairPlacesOptions {
  /** Number of slots that all owners share. */
  readonly places: number
  /** Maximum number of slots that a single owner can occupy. */
  readonly mostOfOne: number
  /** Maximum amount of work of one owner that waits, in addition to what is running; at least 1. */
  readonly mostWaiting: number
}

export interface FairPlaces {
  /**
   * Runs `work` as soon as a slot is free. Rejects with the error of `work`, or with `overloaded` if too much work of this owner is already
   * waiting.
   */
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
