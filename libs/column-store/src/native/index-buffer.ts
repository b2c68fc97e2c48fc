// Indexes into a dictionary. The narrowest type is used: UInt8 for up to 256 entries, UInt16 for up to 65,536, or UInt32.
import type { BufferPool } from './buffer-pool.ts'
import { zeroBytes } from './bytes.ts'

type Indexes = Uint8Array | Uint16Array | Uint32Array

const largestOf = { 1: 0xff, 2: 0xffff, 4: 0xffffffff } as const

export class IndexBuffer {
  length = 0
  width: 1 | 2 | 4 = 1
  #largest: number = largestOf[1]
  #values: Indexes
  readonly #pool: BufferPool

  constructor(pool: BufferPool) {
    this.#pool = pool
    this.#values = new Uint8Array(0)
  }

  push(index: number): void {
    if (index > this.#largest) this.#resize(this.length, index > 0xffff ? 4 : 2)
    if (this.length === this.#values.length) this.#resize(this.length * 2, this.width)
    this.#values[this.length++] = index
  }

  /** Appends index 0 `n` times. In every dictionary, index 0 is the default value. */
  zeros(n: number): void {
    if (n <= 0) return
    if (this.length + n > this.#values.length) this.#resize(Math.max(this.length + n, this.length * 2), this.width)
    zeroBytes(new Uint8Array(this.#values.buffer), this.length * this.width, (this.length + n) * this.width)
    this.length += n
  }

  append(other: IndexBuffer): void {
    const values = other.#values
    for (let i = 0; i < other.length; i++) this.push(values[i]!)
  }

  #resize(length: number, width: 1 | 2 | 4): void {
    const old = this.#values
    const { buffer } = this.#pool.take(Math.max(length, this.length + 1) * width)
    const next = width === 1 ? new Uint8Array(buffer) : width === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer)
    next.set(old.subarray(0, this.length))
    if (old.length > 0) this.#pool.give(old.buffer)
    this.#values = next
    this.width = width
    this.#largest = largestOf[width]
  }

  rewind(): void {
    this.length = 0
  }

  /** Little-endian. Starts an empty buffer. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#values.buffer, 0, this.length * this.width)
    this.#values = new Uint8Array(0)
    this.length = 0
    this.width = 1
    this.#largest = largestOf[1]
    return bytes
  }
}
