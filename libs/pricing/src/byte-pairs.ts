// Counts the byte pair tokens of a text without creating them. A piece of n bytes takes time proportional to n log n, even for a hostile
// text.

/** The rank of each token. A key has one character (up to U+00FF) per byte of the token. */
export type Ranks = ReadonlyMap<string, number>

const none = 0xffffffff
/**
 * One number represents a possible join of two parts: the rank of the join times this factor, plus the position of the join. Joins are
 * therefore ordered by rank, then by position.
 */
const positions = 2 ** 20
/** The number that represents the single byte 0. The numbers of single bytes are above the ranks of all vocabularies. */
const byteParts = 2 ** 18 - 256
/**
 * Number of slots in the cache that stores the rank of each pair. Most texts consist of the same few thousand pairs. The cache has enough
 * slots for these pairs.
 */
const slots = 1 << 15

/**
 * Number of slots of a small cache. The cache contains words that are a single token. The whole vocabulary would not fit into a processor's
 * cache.
 */
const wordSlots = 1 << 12
/** V8 copies a substring if it has at most this many characters. A longer substring in the cache would keep the whole text in memory. */
const longestWord = 12

/** Reads a shipped vocabulary, which lists tokens by rank. Tokens that are not valid text are listed as bytes. */
export function ranksOf(vocabulary: readonly (string | readonly number[] | undefined)[]): Ranks {
  const ranks = new Map<string, number>()
  vocabulary.forEach((token, rank) => {
    if (token !== undefined) ranks.set(Buffer.from(token as string).toString('latin1'), rank)
  })
  return ranks
}

/** Counts the tokens of pieces of up to 2^20 bytes. Each vocabulary has one counter, which reuses its buffers. */
export class PairCounter {
  readonly #ranks: Ranks
  /** Ranks of the tokens that have two bytes. The index is the 16-bit number that consists of these bytes. */
  readonly #pairs = new Uint32Array(1 << 16).fill(none)
  /** The index is the position of a part's first byte. The value is the rank of the token that the part would form with the next part. */
  #joined = new Uint32Array(1024)
  /**
   * The index is the position of a part's first byte. The value identifies the part. For a part of one byte, the value is `byteParts` plus
   * the byte. For a longer part, the value is the rank of the part's token.
   */
  #part = new Uint32Array(1024)
  readonly #slotParts = new Uint32Array(2 * slots).fill(none)
  readonly #slotRanks = new Uint32Array(slots)
  readonly #words: string[] = new Array<string>(wordSlots).fill('')
  /** The index is the position of a part's first byte. The values are the positions of the next and the previous part. */
  #next = new Int32Array(1024)
  #before = new Int32Array(1024)
  /** Possible joins, the lowest first. Outdated entries must be ignored. */
  #heap = new Float64Array(4096)
  #heapLength = 0

  constructor(ranks: Ranks) {
    this.#ranks = ranks
    for (const [bytes, rank] of ranks) {
      if (bytes.length === 2) this.#pairs[(bytes.charCodeAt(0) << 8) | bytes.charCodeAt(1)] = rank
    }
  }

  /** A piece is a text that the encoding's pattern does not split. */
  count(piece: string): number {
    let hash = piece.length
    let units = 0
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      units |= unit
      hash = (Math.imul(hash, 31) + unit) | 0
    }
    const slot = hash & (wordSlots - 1)
    if (this.#words[slot] === piece) return piece === '' ? 0 : 1
    const isAscii = units <= 0x7f
    const bytes = isAscii ? piece : bytesOf(piece)
    if (bytes.length < 2) return bytes.length
    if (!this.#ranks.has(bytes)) return this.#merge(bytes)
    if (isAscii && piece.length <= longestWord) this.#words[slot] = piece
    return 1
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
      // An entry whose rank differs from `joined[at]` is outdated: one of its two parts has already been joined with another part.
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

  /**
   * Computes the rank of the token that the part at `at` forms with the next part. Must be called when one of these two parts has changed.
   */
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

  /**
   * The code pushes at most one entry per byte and two entries per join onto the heap. There are fewer joins than bytes, so space for three
   * entries per byte is enough.
   */
  #grow(length: number): void {
    this.#joined = new Uint32Array(length)
    this.#part = new Uint32Array(length)
    this.#next = new Int32Array(length)
    this.#before = new Int32Array(length)
    this.#heap = new Float64Array(3 * length)
  }
}

/** Texts up to this length are encoded in JavaScript, because a native call would take longer. */
const shortPiece = 32
/** Caches the UTF-8 bytes of each UTF-16 unit that is not a surrogate. */
const bytesOfUnit: (string | undefined)[] = []

const encode = (text: string): string => Buffer.from(text).toString('latin1')

/** Returns one character for each byte of the text's UTF-8. */
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
