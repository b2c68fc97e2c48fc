// A map whose keys are attributes. Most spans need such a map, and clearing a built-in Map for each span would allocate memory.
import { NumberMap } from './number-map.ts'

export class EntryMap<T> {
  readonly #places = new NumberMap(64)
  readonly #entries: number[] = []
  readonly #values: (T | undefined)[] = []
  size = 0

  has(entry: number): boolean {
    return this.#places.has(entry)
  }

  get(entry: number): T | undefined {
    const place = this.#places.get(entry)
    return place < 0 ? undefined : this.#values[place]
  }

  set(entry: number, value: T): void {
    let place = this.#places.get(entry)
    if (place < 0) {
      place = this.size++
      this.#places.set(entry, place)
      this.#entries[place] = entry
    }
    this.#values[place] = value
  }

  /** Returns the entry at a place. The entry that was set first has place 0, the next new entry place 1, and so on. */
  entryAt(place: number): number {
    return this.#entries[place]!
  }

  clear(): void {
    if (this.size === 0) return
    for (let place = 0; place < this.size; place++) this.#values[place] = undefined
    this.size = 0
    this.#places.clear()
  }
}
