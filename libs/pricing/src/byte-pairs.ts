// Byte pair encoding, counted and not made: how many tokens a piece of text is. The time is n log n in the
// piece and the same each time: what an attacker sends is in no cache, and a cache of pieces keeps their texts.

/** Ranks of the vocabulary by their bytes, each a character up to 255. */
export type Ranks = ReadonlyMap<string, number>

const none = 0xffffffff
/** Rank and place make one number, the lowest rank first and the first place of it. */
const positions = 2 ** 20
/** A byte as a part: above the ranks of all vocabularies. */
const byteParts = 2 ** 18 - 256
/** Pairs of parts whose rank is remembered, by slot: most texts are made of the same few thousand. */
const slots = 1 << 15

/** `vocabulary` as it ships, by rank: texts, and bytes where they are no text. */
export function ranksOf(vocabulary: readonly (string | readonly number[] | undefined)[]): Ranks {
  const ranks = new Map<string, number>()
  vocabulary.forEach((token, rank) => {
    if (token !== undefined) ranks.set(Buffer.from(token as string).toString('latin1'), rank)
  })
  return ranks
}

/** Counts pieces of up to 2^20 bytes. One for a vocabulary: what it works with is kept from piece to piece. */
export class PairCounter {
  readonly #ranks: Ranks
  /** Of two bytes that are a token, by both. */
  readonly #pairs = new Uint32Array(1 << 16).fill(none)
  /** Of a part that begins at a byte, joined with the next one. */
  #joined = new Uint32Array(1024)
  /** Which part begins at a byte: its rank, or a byte. */
  #part = new Uint32Array(1024)
  readonly #slotParts = new Uint32Array(2 * slots).fill(none)
  readonly #slotRanks = new Uint32Array(slots)
  /** Where the next part begins, and the one before. */
  #next = new Int32Array(1024)
  #before = new Int32Array(1024)
  /** Rank and place of what may be joined, lowest first, as one number each; some are out of date. */
  #heap = new Float64Array(4096)
  #heapLength = 0

  constructor(ranks: Ranks) {
    this.#ranks = ranks
    for (const [bytes, rank] of ranks) {
      if (bytes.length === 2) this.#pairs[(bytes.charCodeAt(0) << 8) | bytes.charCodeAt(1)] = rank
    }
  }

  /** Tokens of a piece that the encoding's pattern does not split. */
  count(piece: string): number {
    const bytes = isAscii(piece) ? piece : bytesOf(piece)
    if (bytes.length < 2 || this.#ranks.has(bytes)) return bytes.length === 0 ? 0 : 1
    return this.#merge(bytes)
  }

  #merge(bytes: string): number {
    const { length } = bytes
    if (length >= this.#joined.length) this.#grow(length + 1)
    const joined = this.#joined
    const part = this.#part
    const next = this.#next
    const before = this.#before
    this.#heapLength = 0
    for (let at = 0; at < length; at++) {
      next[at] = at + 1
      before[at] = at - 1
      part[at] = byteParts + bytes.charCodeAt(at)
      const rank = at + 1 < length ? this.#pairs[(bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1)]! : none
      joined[at] = rank
      if (rank !== none) this.#push(rank * positions + at)
    }
    let parts = length
    while (this.#heapLength > 0) {
      const lowest = this.#pop()
      const at = lowest % positions
      // Joined with another since, or the beginning of no part any more.
      if (joined[at] !== (lowest - at) / positions) continue
      const taken = next[at]!
      const after = next[taken]!
      next[at] = after
      part[at] = joined[at]!
      joined[taken] = none
      if (after < length) before[after] = at
      parts--
      this.#rejoin(bytes, at)
      if (before[at]! >= 0) this.#rejoin(bytes, before[at]!)
    }
    return parts
  }

  /** The part at `at`, or the one behind it, is another. */
  #rejoin(bytes: string, at: number): void {
    const second = this.#next[at]!
    const rank = second < bytes.length ? this.#rankOf(bytes, at, second) : none
    this.#joined[at] = rank
    if (rank !== none) this.#push(rank * positions + at)
  }

  #rankOf(bytes: string, at: number, second: number): number {
    const one = this.#part[at]!
    const other = this.#part[second]!
    const slot = (Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b)) >>> 17
    const parts = this.#slotParts
    if (parts[2 * slot] === one && parts[2 * slot + 1] === other) return this.#slotRanks[slot]!
    parts[2 * slot] = one
    parts[2 * slot + 1] = other
    return (this.#slotRanks[slot] = this.#ranks.get(bytes.slice(at, this.#next[second]!)) ?? none)
  }

  #push(value: number): void {
    const heap = this.#heap
    let at = this.#heapLength++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]! <= value) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = value
  }

  #pop(): number {
    const heap = this.#heap
    const lowest = heap[0]!
    const length = --this.#heapLength
    const value = heap[length]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && heap[child + 1]! < heap[child]!) child++
      if (heap[child]! >= value) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = value
    return lowest
  }

  /** Each byte is pushed once, and each of fewer joins pushes two. */
  #grow(length: number): void {
    this.#joined = new Uint32Array(length)
    this.#part = new Uint32Array(length)
    this.#next = new Int32Array(length)
    this.#before = new Int32Array(length)
    this.#heap = new Float64Array(3 * length)
  }
}

/** Longer texts are encoded at once; a call for each of a few letters costs more than all else. */
const shortPiece = 32
/** The bytes of a unit that is no half of a pair, by the unit. */
const bytesOfUnit: (string | undefined)[] = []

const encode = (text: string): string => Buffer.from(text).toString('latin1')

/** As UTF-8, each byte a character. */
function bytesOf(text: string): string {
  if (text.length > shortPiece) return encode(text)
  let bytes = ''
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if ((unit & 0xf800) === 0xd800) return encode(text)
    bytes += bytesOfUnit[unit] ??= encode(text[at]!)
  }
  return bytes
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}
