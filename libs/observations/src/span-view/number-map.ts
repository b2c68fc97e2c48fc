// What each of some small numbers has just now: emptied by a new generation, not by writing, since it is emptied for every span.
const longest = 0x7fffffff

/** Numbers from 0 on, one behind the other, each with a number from 0 on or with none. */
export class NumberMap {
  #values: Int32Array
  /** Of the clearing since which it has its value; 0: it has none. */
  #generations: Int32Array
  #generation = 1

  constructor(length: number) {
    this.#values = new Int32Array(length)
    this.#generations = new Int32Array(length)
  }

  clear(): void {
    if (this.#generation === longest) this.#beginAnew()
    else this.#generation++
  }

  /** A process that runs for weeks comes here: what stands for a generation that comes again must not be taken for it. */
  #beginAnew(): void {
    this.#generations.fill(0)
    this.#generation = 1
  }

  has(key: number): boolean {
    return this.#generations[key] === this.#generation
  }

  /** -1: it has none. */
  get(key: number): number {
    return this.#generations[key] === this.#generation ? this.#values[key]! : -1
  }

  set(key: number, value: number): void {
    if (key >= this.#values.length) this.#grow(key)
    this.#values[key] = value
    this.#generations[key] = this.#generation
  }

  /** Of a number that has been set since it was made. */
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
