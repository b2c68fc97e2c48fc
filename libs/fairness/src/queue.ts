// A queue that alternates between owners: a project with a thousand requests gets the same share as every other project, and a single
// request of a different project comes next (F26).

export interface FairQueue<T> {
  readonly length: number
  push(owner: string, item: T): void
  /** Removes and returns the first item of the next owner for which `may` returns true. Returns undefined when there is no such owner. */
  take(may?: (owner: string) => boolean): { readonly owner: string; readonly item: T } | undefined
  /** Returns all waiting items and empties the queue. */
  clear(): T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  // The items of each owner. The order of the owners is the order in which they are served. A served owner moves to the end, and an owner
  // without items is removed.
  const lines = new Map<string, T[]>()
  let length = 0

  return {
    get length() {
      return length
    },
    push(owner, item) {
      length++
      const line = lines.get(owner)
      if (line) line.push(item)
      else lines.set(owner, [item])
    },
    take(may = () => true) {
      for (const [owner, line] of lines) {
        if (!may(owner)) continue
        const item = line.shift()!
        length--
        lines.delete(owner)
        if (line.length > 0) lines.set(owner, line)
        return { owner, item }
      }
      return undefined
    },
    clear() {
      const items = [...lines.values()].flat()
      lines.clear()
      length = 0
      return items
    },
  }
}
