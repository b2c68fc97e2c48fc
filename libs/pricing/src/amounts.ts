// Amounts of one span by key, in tokens or money. All spans reuse the same two lists, so that counting allocates no memory.

/** A number if it is a safe integer, or else a bigint. */
export type Units = number | bigint

/**
 * If a span has more keys than this, they are looked up in a map. A client can send a hundred thousand keys, and comparing all pairs of
 * keys would take hours.
 */
const mostCompared = 32

export class Amounts {
  readonly keys: string[] = []
  readonly units: Units[] = []
  length = 0
  /**
   * Maps each key to the first position at which the key occurs. The map has only the keys at positions below `#placed`. Before a lookup,
   * `#placeOf` adds the keys at all other positions.
   */
  readonly #places = new Map<string, number>()
  #placed = 0

  clear(): void {
    this.length = 0
    if (this.#placed > 0) this.#forgetPlaces()
  }

  #forgetPlaces(): void {
    this.#places.clear()
    this.#placed = 0
  }

  add(key: string, units: Units): void {
    this.keys[this.length] = key
    this.units[this.length++] = units
  }

  /** Returns the key's first position, or -1 if the key is missing. */
  indexOf(key: string): number {
    if (this.length > mostCompared) return this.#placeOf(key)
    for (let i = 0; i < this.length; i++) if (this.keys[i] === key) return i
    return -1
  }

  #placeOf(key: string): number {
    for (; this.#placed < this.length; this.#placed++) {
      const each = this.keys[this.#placed]!
      if (!this.#places.has(each)) this.#places.set(each, this.#placed)
    }
    return this.#places.get(key) ?? -1
  }

  copy(from: Amounts): void {
    this.clear()
    this.length = from.length
    for (let i = 0; i < from.length; i++) {
      this.keys[i] = from.keys[i]!
      this.units[i] = from.units[i]!
    }
  }

  /** Only for tests and explanations. */
  toObject(): Record<string, bigint> {
    return Object.fromEntries(this.keys.slice(0, this.length).map((key, i) => [key, BigInt(this.units[i]!)]))
  }
}

const maxSafe = Number.MAX_SAFE_INTEGER

/** Returns a number if the value is a safe integer, or else the bigint. */
export const plain = (units: bigint): Units => (units <= maxSafe && units >= -maxSafe ? Number(units) : units)

/** The result is exact: a sum that is a safe integer was not rounded, and any other sum is computed with bigints. */
export function plus(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (sum <= maxSafe && sum >= -maxSafe) return sum
  }
  return plain(BigInt(a) + BigInt(b))
}

/** Exact; must not be negative. */
export function minus(a: Units, b: Units): Units {
  return typeof a === 'number' && typeof b === 'number' ? a - b : plain(BigInt(a) - BigInt(b))
}

/** The result is exact: a product that is a safe integer was not rounded, and any other product is computed with bigints. */
export function times(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (product <= maxSafe && product >= -maxSafe) return product
  }
  return plain(BigInt(a) * BigInt(b))
}

/** Divides and truncates toward zero. `divisor` is a power of ten. */
export const shortened = (units: Units, divisor: bigint): Units => plain(BigInt(units) / divisor)
