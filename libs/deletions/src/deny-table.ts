// A set of texts that one thread writes and several threads read. It stores a 128-bit hash of each text in shared memory. A million
// deletions take tens of megabytes per process.
import { hash } from 'node:crypto'

/** Number of 32-bit words in a slot. The first word is written last, and is never 0 in a used slot. */
const slotWords = 4
const slotBytes = slotWords * Uint32Array.BYTES_PER_ELEMENT
const firstSlots = 1024
/** Above this share of used slots, the size doubles. */
const maxLoad = 0.5

/** Hashes of recent texts. Most records name one of a few projects, so the hashes of these projects are computed only once. */
const digests = new Map<string, Uint32Array>()
const maxDigests = 1024

function digestOf(text: string): Uint32Array {
  const known = digests.get(text)
  if (known !== undefined) return known
  if (digests.size >= maxDigests) digests.clear()
  const digest = makeDigest(text)
  digests.set(text, digest)
  return digest
}

function makeDigest(text: string): Uint32Array {
  const bytes = new Uint8Array(slotBytes)
  bytes.set(hash('sha256', text, 'buffer').subarray(0, slotBytes))
  const words = new Uint32Array(bytes.buffer)
  if (words[0] === 0) words[0] = 1
  return words
}

/**
 * `at` is the position of the digest. If the table does not contain the digest, `at` is the position of a free slot, or -1 if no slot is
 * free.
 */
function find(words: Uint32Array, digest: Uint32Array): { readonly at: number; readonly isThere: boolean } {
  const slots = words.length / slotWords
  for (let step = 0, slot = digest[1]! % slots; step < slots; step++, slot = (slot + 1) % slots) {
    const at = slot * slotWords
    const first = Atomics.load(words, at)
    if (first === 0) return { at, isThere: false }
    if (first === digest[0] && words[at + 1] === digest[1] && words[at + 2] === digest[2] && words[at + 3] === digest[3])
      return { at, isThere: true }
  }
  return { at: -1, isThere: false }
}

/** The returned function finds all texts that were added before its call. */
export function readShared(shared: SharedArrayBuffer): (text: string) => boolean {
  const words = new Uint32Array(shared)
  return text => find(words, digestOf(text)).isThere
}

export interface DenyTable {
  /** When the table grows, it moves to new memory. The former memory stays unchanged, so readers of this memory find no later texts. */
  readonly shared: SharedArrayBuffer
  readonly size: number
  has(text: string): boolean
  /** Returns false if the table already contained the text. */
  add(text: string): boolean
}

export function createDenyTable(): DenyTable {
  let words = new Uint32Array(new SharedArrayBuffer(firstSlots * slotBytes))
  let size = 0

  function put(into: Uint32Array, at: number, digest: Uint32Array): void {
    for (let word = 1; word < slotWords; word++) into[at + word] = digest[word]!
    Atomics.store(into, at, digest[0]!)
  }

  function grow(): void {
    const larger = new Uint32Array(new SharedArrayBuffer(words.byteLength * 2))
    for (let at = 0; at < words.length; at += slotWords) {
      if (words[at] === 0) continue
      const digest = words.subarray(at, at + slotWords)
      put(larger, find(larger, digest).at, digest)
    }
    words = larger
  }

  return {
    get shared() {
      return words.buffer as SharedArrayBuffer
    },
    get size() {
      return size
    },
    has: text => find(words, digestOf(text)).isThere,
    add(text) {
      const digest = digestOf(text)
      if (find(words, digest).isThere) return false
      if ((size + 1) * slotWords > words.length * maxLoad) grow()
      put(words, find(words, digest).at, digest)
      size += 1
      return true
    },
  }
}
