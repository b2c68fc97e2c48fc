// Whoever waits, in turn by owner: one project's thousand requests are one place in the line, and a neighbour's single one is the next (F26).

export interface FairQueue<T> {
  readonly length: number
  push(owner: string, item: T): void
  /** The first item of the owner whose turn it is among those that `may` take one; undefined when none of them may. */
  take(may?: (owner: string) => boolean): { readonly owner: string; readonly item: T } | undefined
  /** Everything that waits, and the queue is empty. */
  clear(): T[]
}

export function createFairQueue<T>(): FairQueue<T> {
  // In the order of turns: an owner goes to the end when it had its own. Nobody stands here without an item.
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
