// A queue that serves owners in turn. A single request of one project does not wait for the thousand requests that another project queued
// earlier (F26).

export interface FairQueue<T> {
  readonly length: number
  push(owner: string, item: T): void
  /** Finds the next owner for which `may` is true, and removes the first item of this owner. Returns undefined if no owner qualifies. */
  take(may?: (owner: string) => boolean): { readonly owner: string; readonly item: T } | undefined
  clear(): T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  // Owners are in the order in which they are served. A served owner moves to the end.
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
