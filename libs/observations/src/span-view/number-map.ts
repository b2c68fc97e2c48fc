// A map that is cleared for every span. To clear the map, the code only starts a new generation and does not erase the old values.
const longest = 0x7fffffff

/** Keys and values are integers of at least 0. The keys are consecutive. */
export class NumberMap {
  #values: Int32Array
  /** The generation in which each key's value was set, or 0 for a key that has no value. */
  #generations: Int32Array
  #generation: number

  /** Tests pass a `firstGeneration` close to the maximum, so that few calls of `clear` reach the maximum. */
  constructor(length: number, firstGeneration = 1) {
    this.#generation = firstGeneration
    this.#values = new Int32Array(length)
    this.#generations = new Int32Array(length)
  }

  clear(): void {
    if (this.#generation === longest) this.#beginAnew()
    else this.#generation++
  }

  /**
   * After weeks, the generation reaches its maximum and begins again at 1. Resets all entries, so that no old entry matches a new
   * generation by accident.
   */
  #beginAnew(): void {
    this.#generations.fill(0)
    this.#generation = 1
  }

  has(key: number): boolean {
    return this.#generations[key] === this.#generation
  }

  /** Returns -1 if the key has no value. */
  get(key: number): number {
    return this.#generations[key] === this.#generation ? this.#values[key]! : -1
  }

  /** Returns the previous value, or -1. */
  set(key: number, value: number): number {
    if (key >= this.#values.length) this.#grow(key)
    const values = this.#values
    const generations = this.#generations
    const before = generations[key] === this.#generation ? values[key]! : -1
    values[key] = value
    generations[key] = this.#generation
    return before
  }

  /** The key must have been set. */
  delete(key: number): void {
    this.#generations[key] = 0
  }

  #grow(key: number): void {
    const length = Math.max(this.#values.length * 2, key + 1)
    const [values, generations] = [new Int32Array(length), new Int32Array(length)]
    values.set(this.#values)
    generations.set(this.#generations)
    this.#values = values
    this.#generations = generations
  }
}
