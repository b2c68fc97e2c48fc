// A set of texts that several threads read while one adds to it. It stores 128 bits of hash per text in shared
// memory, so that a million deletions cost tens of megabytes once for all threads of a process.
import { hash } from 'node:crypto'

/** Words of a slot. The first is written last and is never 0 in a used slot. */
const slotWords = 4
const slotBytes = slotWords * Uint32Array.BYTES_PER_ELEMENT
const firstSlots = 1024
/** Above this load the table doubles. */
const maxLoad = 0.5

/** Digests of recent queries, because every record names the same few projects. */
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

/** Returns the position of the digest, or the free slot for it, or -1 when there is none. */
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

/** Reads a table's shared memory as of each query. */
export function readShared(shared: SharedArrayBuffer): (text: string) => boolean {
  const words = new Uint32Array(shared)
  return text => find(words, digestOf(text)).isThere
}

export interface DenyTable {
  /** New memory after the table has grown. The former memory stays unchanged. */
  readonly shared: SharedArrayBuffer
  readonly size: number
  has(text: string): boolean
  /** Returns false when the text was already in the set. */
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
