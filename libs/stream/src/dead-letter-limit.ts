// Halts a partition if the server causes too many failures, for example after a bad deploy or with a wrong schema. Without a halt, all
// records of the topic could become dead letters. Failures of a kind that a client can cause (cause `client`) never count, because one
// tenant must not halt the partition for the other tenants.
import { AppError, type DeadLetterCause, deadLetterReasons } from '@svc-server/errors'
import type { Rejection } from './chunk.ts'

/**
 * The last `windowItems` items of acknowledged chunks form a window. The partition halts if the server caused at least `minRejected`
 * rejections in the window, and if their share of the window's items exceeds `maxShare`. A rejection with the cause `exception` can be the
 * fault of the server or of a client. Such rejections count only if the window has items of at least two owners (such as projects), and
 * every owner in the window had such a rejection.
 */
export interface DeadLetterLimit {
  readonly windowItems: number
  readonly minRejected: number
  readonly maxShare: number
}

export interface Tally {
  /** Number of items, including rejected items. */
  readonly items: number
  /** Known owners of the items. An item whose owner is unknown adds no owner. */
  readonly owners: ReadonlySet<string>
  readonly rejected: readonly Rejection[]
  /**
   * Returns how many items a rejection concerns. If a whole record is rejected, the result is the number of items in the record. If
   * `itemsOf` is absent, each rejection counts as one item.
   */
  readonly itemsOf?: (rejection: Rejection) => number
}

interface Entry {
  readonly items: number
  readonly ours: number
  readonly exceptions: number
  readonly owners: ReadonlySet<string>
  /** Owners of at least one item that was rejected with the cause `exception`. */
  readonly struck: ReadonlySet<string>
}

export function createLimit({ windowItems, minRejected, maxShare }: DeadLetterLimit) {
  const recent: Entry[] = []
  const sums = { items: 0, ours: 0, exceptions: 0 }
  const owners = createCounts()
  const struck = createCounts()

  const change = (entry: Entry, by: 1 | -1): void => {
    sums.items += by * entry.items
    sums.ours += by * entry.ours
    sums.exceptions += by * entry.exceptions
    for (const owner of entry.owners) owners.add(owner, by)
    for (const owner of entry.struck) struck.add(owner, by)
  }

  return {
    admit(tally: Tally): void {
      const entry = entryOf(tally)
      const active = owners.sizeWith(entry.owners)
      const isOurs: Readonly<Record<DeadLetterCause, boolean>> = {
        client: false,
        ours: true,
        exception: active > 1 && struck.sizeWith(entry.struck) === active,
      }
      // The partition halts only if this chunk itself has a rejection that counts toward the limit.
      const first = tally.rejected.find(({ reason }) => isOurs[deadLetterReasons[reason]])
      if (first === undefined) return
      const items = sums.items + entry.items
      const rejected = sums.ours + entry.ours + (isOurs.exception ? sums.exceptions + entry.exceptions : 0)
      if (rejected < minRejected || rejected <= items * maxShare) return
      throw new AppError(
        'dead_letter_limit',
        `${rejected} of the last ${items} items were rejected. The first of this chunk: ${first.reason}: ${first.message}`,
        { rejected, items, reason: first.reason },
      )
    },

    acknowledged(tally: Tally): void {
      const entry = entryOf(tally)
      recent.push(entry)
      change(entry, 1)
      while (recent.length > 1 && sums.items - recent[0]!.items >= windowItems) change(recent.shift()!, -1)
    },
  }
}

function entryOf({ items, owners, rejected, itemsOf = () => 1 }: Tally): Entry {
  const sums: Record<DeadLetterCause, number> = { client: 0, ours: 0, exception: 0 }
  const struck = new Set<string>()
  for (const rejection of rejected) {
    const cause = deadLetterReasons[rejection.reason]
    sums[cause] += itemsOf(rejection)
    if (cause === 'exception' && rejection.owner !== null) struck.add(rejection.owner)
  }
  return { items, ours: sums.ours, exceptions: sums.exception, owners: new Set([...owners, ...struck]), struck }
}

/** For each owner, counts the window's entries whose set of owners (`owners` or `struck`) contains the owner. */
function createCounts() {
  const counts = new Map<string, number>()
  return {
    add(name: string, by: number): void {
      const count = (counts.get(name) ?? 0) + by
      if (count > 0) counts.set(name, count)
      else counts.delete(name)
    },
    /** Returns the number of different owners in the window's entries and `names` together. */
    sizeWith(names: ReadonlySet<string>): number {
      let size = counts.size
      for (const name of names) if (!counts.has(name)) size += 1
      return size
    },
  }
}
