// A queue that serves owners in turn. A project with a thousand requests gets the share of one project: a single request of a different
// project comes next (F26).

export interface FairQueue<T> {
  readonly length: number
  push(owner: string, item: T): void
  /** Removes and returns the first item of the next owner for which `may` is true. Returns undefined if no owner qualifies. */
  take(may?: (owner: string) => boolean): { readonly owner: string; readonly item: T } | undefined
  /** Returns all waiting items, and empties the queue. */
  clear(): T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  // Waiting items by owner. Owners in the order in which they are served. After an owner was served, it moves to the end. An owner without
  // items is removed.
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
