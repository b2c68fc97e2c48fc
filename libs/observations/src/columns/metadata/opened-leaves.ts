// Leaves of what was opened at a name, so that later keys can take their place without a walk over all leaves
// (which is quadratic).
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
  /** Beginning of all its leaves. */
  readonly prefix: string
  readonly sorted: readonly string[]
}

/**
 * Keys are asked in ascending order. Then no key lies above an earlier one: only leaves that were opened can
 * lie below it.
 */
export class OpenedLeaves {
  readonly #leaves: TextMap<string>
  /** Outermost first. */
  readonly #opened: Opened[] = []

  constructor(leaves: TextMap<string>) {
    this.#leaves = leaves
    if (leaves.size > 0) this.#opened.push({ prefix: '', sorted: leaves.keys().toSorted() })
  }

  /** Deletes the leaf `name` and those below it. */
  replace(name: string): void {
    const below = `${name}.`
    this.#close(name)
    this.#leaves.delete(name)
    for (const { prefix, sorted } of this.#opened) {
      if (!name.startsWith(prefix)) continue
      for (let at = firstFrom(sorted, below); sorted[at]?.startsWith(below); at++) this.#leaves.delete(sorted[at]!)
    }
  }

  /** These leaves of the object at `name` are new. */
  add(name: string, leaves: readonly string[]): void {
    this.#opened.push({ prefix: `${name}.`, sorted: leaves.toSorted() })
  }

  /** Forgets what no later name can lie below. */
  #close(name: string): void {
    for (let last = this.#opened.at(-1); last !== undefined; last = this.#opened.at(-1)) {
      if (last.prefix === '' || name < `${last.prefix.slice(0, -1)}/`) return
      this.#opened.pop()
    }
  }
}
