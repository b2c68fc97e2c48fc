// Remembers the leaves of each object. When a later key replaces these leaves, the code finds them without a search of all leaves.
import type { TextMap } from '@svc-server/json'

const firstFrom = (sorted: readonly string[], text: string): number => {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]! < text) from = middle + 1
    else to = middle
  }
  return from
}

interface Opened {
  /** The object's name and a dot. */
  readonly prefix: string
  readonly sorted: readonly string[]
}

/** The caller must call `replace` with names in ascending order, because `#close` relies on this order. */
export class OpenedLeaves {
  readonly #leaves: TextMap<string>
  /** Objects whose leaves can still be replaced. An outer object comes before its inner objects. */
  readonly #opened: Opened[] = []

  constructor(leaves: TextMap<string>) {
    this.#leaves = leaves
    if (leaves.size > 0) this.#opened.push({ prefix: '', sorted: leaves.keys().toSorted() })
  }

  /** Deletes `name` and all leaves below it, so that the caller can add the leaves of the new value. */
  replace(name: string): void {
    const below = `${name}.`
    this.#close(name)
    this.#leaves.delete(name)
    for (const { prefix, sorted } of this.#opened) {
      if (!name.startsWith(prefix)) continue
      for (let at = firstFrom(sorted, below); sorted[at]?.startsWith(below); at++) this.#leaves.delete(sorted[at]!)
    }
  }

  add(name: string, leaves: readonly string[]): void {
    this.#opened.push({ prefix: `${name}.`, sorted: leaves.toSorted() })
  }

  /**
   * Drops each object whose leaves all come before `name` in the sort order. The caller replaces names in this order, so no
   * later name is below a dropped object.
   */
  #close(name: string): void {
    for (let last = this.#opened.at(-1); last !== undefined; last = this.#opened.at(-1)) {
      if (last.prefix === '' || name < `${last.prefix.slice(0, -1)}/`) return
      this.#opened.pop()
    }
  }
}
