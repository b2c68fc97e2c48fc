export interface Random {
  /** Returns a number in [0, 1). */
  next(): number
  /** Returns an integer in [from, to]. */
  integer(from: number, to: number): number
  pick<T>(items: readonly T[]): T
  hex(digits: number): string
}

/** Creates an sfc32 generator. The generator starts from a hash of the seed, so that similar seeds give unrelated sequences. */
export function createRandom(seed: number | string): Random {
  let hash = 0x811c9dc5
  for (const char of String(seed)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  let [a, b, c, counter] = [hash, hash ^ 0x9e3779b9, Math.imul(hash, 0x85ebca6b), 1]
  const word = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let i = 0; i < 16; i++) word()

  const next = () => word() / 0x1_0000_0000
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    integer,
    pick: items => items[integer(0, items.length - 1)]!,
    hex(digits) {
      let text = ''
      while (text.length < digits) text += word().toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
  }
}
