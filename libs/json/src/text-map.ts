import { mapKey } from './map-key.ts'

/** A Map with client texts of any length as keys (see `mapKey`), in order of insertion. */
export class TextMap<Value> implements Iterable<readonly [text: string, value: Value]> {
  readonly #entries = new Map<string, readonly [text: string, value: Value]>()

  constructor(entries: Iterable<readonly [text: string, value: Value]> = []) {
    for (const [text, value] of entries) this.set(text, value)
  }

  get size(): number {
    return this.#entries.size
  }

  has(text: string): boolean {
    return this.#entries.has(mapKey(text))
  }

  set(text: string, value: Value): void {
    this.#entries.set(mapKey(text), [text, value])
  }

  delete(text: string): void {
    this.#entries.delete(mapKey(text))
  }

  keys(): readonly string[] {
    return [...this.#entries.values()].map(([text]) => text)
  }

  values(): readonly Value[] {
    return [...this.#entries.values()].map(([, value]) => value)
  }

  [Symbol.iterator](): Iterator<readonly [text: string, value: Value]> {
    return this.#entries.values()
  }
}
