// Writes Avro primitives into one buffer, which grows when it is full. The large field of a record is written last. If the buffer grows for
// this field, only the small fields before it are copied.

/**
 * Maximum length of a text that a loop writes character by character. For such a text, the loop is faster than two native calls. A length
 * prefix of one byte can state at most this length.
 */
const shortText = 63

export class AvroSink {
  #buffer: Buffer
  #length = 0

  /** Writes into `room`, and moves to a larger buffer when `room` is full. */
  constructor(room: Buffer) {
    this.#buffer = room
  }

  /** Writes a safe integer as a zigzag varint. The arithmetic avoids bit operations, which are limited to 32 bits. */
  long(value: number): void {
    if (!Number.isSafeInteger(value)) throw new TypeError(`Not an integer that a record can hold: ${value}`)
    this.#reserve(10)
    if (value >= -0x40000000 && value <= 0x3fffffff) {
      let zigzag = ((value << 1) ^ (value >> 31)) >>> 0
      for (; zigzag >= 0x80; zigzag >>>= 7) this.#buffer[this.#length++] = (zigzag & 0x7f) | 0x80
      this.#buffer[this.#length++] = zigzag
      return
    }
    let zigzag = value < 0 ? BigInt(value) * -2n - 1n : BigInt(value) * 2n
    for (; zigzag >= 0x80n; zigzag >>= 7n) this.#buffer[this.#length++] = Number(zigzag & 0x7fn) | 0x80
    this.#buffer[this.#length++] = Number(zigzag)
  }

  double(value: number): void {
    if (typeof value !== 'number') throw new TypeError(`Not a number: ${value}`)
    this.#reserve(8)
    this.#buffer.writeDoubleLE(value, this.#length)
    this.#length += 8
  }

  boolean(value: boolean): void {
    this.#reserve(1)
    this.#buffer[this.#length++] = value ? 1 : 0
  }

  string(value: string): void {
    if (typeof value === 'string' && value.length <= shortText && this.#shortAscii(value)) return
    const length = Buffer.byteLength(value, 'utf8')
    this.long(length)
    this.#reserve(length)
    this.#length += this.#buffer.write(value, this.#length, 'utf8')
  }

  /** Returns false and writes nothing if the text is not ASCII. */
  #shortAscii(value: string): boolean {
    this.#reserve(1 + value.length)
    const start = this.#length + 1
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit >= 0x80) return false
      this.#buffer[start + i] = unit
    }
    this.#buffer[start - 1] = value.length << 1
    this.#length = start + value.length
    return true
  }

  /** Writes bytes. Encoding copies a payload only here. */
  bytes(value: Uint8Array): void {
    this.long(value.length)
    this.raw(value)
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#buffer.set(value, this.#length)
    this.#length += value.length
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(this.#buffer.length * 2, needed + 4096)))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
