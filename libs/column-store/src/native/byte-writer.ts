// Collects the bytes of one column. Each value is copied once, from the request's buffer. The code of this file is optimized for speed,
// because this code uses more CPU time than the code of any other file.
import { isUtf8 } from 'node:buffer'
import { type BufferPool, segmentBytes } from './buffer-pool.ts'
import { type ByteSource, repairedText } from './byte-source.ts'
import { copyBytes, zeroBytes } from './bytes.ts'
import { longestDecimal, writeDecimal } from './decimal.ts'

// Up to about this length, copying 32-bit words is faster than creating a view and calling set() (measured).
const shortBytes = 256
/** Up to this length, copying byte by byte is fastest. */
const tinyBytes = 24
const highBits = 0x80808080 | 0
const none: Uint8Array = new Uint8Array(0)
/** This method of Buffer also works on a Uint8Array. Creating a Buffer for each text would cost more than writing the text. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, start: number, length: number): number
}
/** When a writer rewinds, it keeps its buffer only if the buffer has at most this size. */
const keptBytes = 16 * 1024 * 1024

export class ByteWriter {
  bytes: Uint8Array = none
  view: DataView = new DataView(none.buffer)
  length = 0
  /** Number of texts in which U+FFFD replaced invalid UTF-8. */
  repaired = 0
  readonly #pool: BufferPool
  readonly #segmentBytes: number
  #closed: Uint8Array[] = []
  #closedBytes = 0
  /** Size of the column in the previous block. The first segment of the next block gets this size. */
  #usual = 0

  /**
   * With `contiguous`, all bytes are in one segment, which can be read as a ByteSource. Without `contiguous`, the bytes can be in several
   * segments, so a writer that grows never copies more than 1 MiB.
   */
  constructor(pool: BufferPool, { contiguous = false }: { contiguous?: boolean } = {}) {
    this.#pool = pool
    this.#segmentBytes = contiguous ? Number.POSITIVE_INFINITY : segmentBytes
  }

  get total(): number {
    return this.#closedBytes + this.length
  }

  /** Ensures space for n more bytes. */
  reserve(n: number): void {
    if (this.length + n > this.bytes.length) this.#grow(n)
  }

  #grow(n: number): void {
    const old = this.bytes
    if (old.length < this.#segmentBytes && this.length + n <= this.#segmentBytes) {
      this.#open(this.#pool.take(Math.max(this.length + n, old.length === 0 ? this.#usual : old.length * 2)))
      copyBytes(old, 0, this.length, this.bytes, 0)
      if (old.length > 0) this.#pool.give(old.buffer)
      return
    }
    if (this.length > 0) {
      this.#closed.push(old.subarray(0, this.length))
      this.#closedBytes += this.length
    } else if (old.length > 0) {
      this.#pool.give(old.buffer)
    }
    this.#open(this.#pool.take(Math.max(n, segmentBytes)))
    this.length = 0
  }

  #open(segment: Uint8Array): void {
    this.bytes = segment
    this.view = new DataView(segment.buffer)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.#grow(1)
    this.bytes[this.length++] = value
  }

  u16(value: number): void {
    this.reserve(2)
    this.view.setUint16(this.length, value, true)
    this.length += 2
  }

  /** Writes 64 bits. The value has at most 53 bits, and can be negative. */
  i64(value: number): void {
    this.reserve(8)
    const { view, length } = this
    // Most values fit into 32 bits. For such a value, a shift is used, because a division would cost more than the write.
    const high = (value | 0) === value ? value >> 31 : Math.floor(value / 4294967296)
    view.setInt32(length, value | 0, true)
    view.setInt32(length + 4, high, true)
    this.length = length + 8
  }

  big64(value: bigint): void {
    this.reserve(8)
    this.view.setBigUint64(this.length, BigInt.asUintN(64, value), true)
    this.length += 8
  }

  varint(value: number): void {
    this.reserve(10)
    while (value > 0x7f) {
      this.bytes[this.length++] = (value & 0x7f) | 0x80
      value = Math.floor(value / 128)
    }
    this.bytes[this.length++] = value
  }

  /** Writes n zero bytes. In a column, zero bytes encode empty strings, the number 0, or placeholders for NULL. */
  zeros(n: number): void {
    if (n <= tinyBytes) {
      for (let i = 0; i < n; i++) this.byte(0)
      return
    }
    while (n > 0) {
      const some = Math.min(n, segmentBytes)
      this.reserve(some)
      zeroBytes(this.bytes, this.length, this.length + some)
      this.length += some
      n -= some
    }
  }

  /** Writes the bytes, without a length before the bytes. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    const n = end - start
    this.reserve(n)
    const { bytes: target, length } = this
    if (n > tinyBytes) copyBytes(bytes, start, end, target, length)
    else for (let i = 0; i < n; i++) target[length + i] = bytes[start + i]!
    this.length = length + n
  }

  /** Writes the number as `String` formats it. Writes no length before the digits. */
  decimal(value: number): void {
    this.reserve(longestDecimal)
    this.length = writeDecimal(this.bytes, this.length, value)
  }

  /** Writes the number as the value of a String column: the length of its decimal text, and then the text. */
  decimalText(value: number): void {
    this.reserve(1 + longestDecimal)
    const start = this.length + 1
    const end = writeDecimal(this.bytes, start, value)
    this.bytes[start - 1] = end - start
    this.length = end
  }

  /** Without their length. U+FFFD replaces lone surrogates. */
  chars(text: string): void {
    const n = text.length
    // UTF-8 takes at most three bytes per UTF-16 unit. Reserving this much would waste memory for long texts.
    const most = n < 1024 ? n * 3 : Buffer.byteLength(text)
    this.reserve(most)
    const { bytes, length } = this
    let seen = 0
    if (n < 64) for (let i = 0; i < n; i++) seen |= bytes[length + i] = text.charCodeAt(i)
    if (n < 64 && seen < 0x80) this.length += n
    else this.length += utf8Write.call(bytes, text, length, most)
  }

  /**
   * Writes a String value (length and bytes), and repairs invalid UTF-8. For a text of up to `shortBytes` bytes, copying the text also
   * shows whether the text is only ASCII. If it is, the text needs no further check.
   */
  text(source: ByteSource, start: number, end: number): void {
    const n = end - start
    this.reserve(n + 5)
    if (n > shortBytes) {
      this.#longText(source, start, end)
      return
    }
    const { bytes, view } = this
    let at = this.length
    if (n < 0x80) bytes[at++] = n
    else {
      bytes[at++] = (n & 0x7f) | 0x80
      bytes[at++] = n >> 7
    }
    let seen = 0
    if (n < 4) {
      for (let i = start; i < end; i++) seen |= bytes[at++] = source.bytes[i]!
      seen &= 0x80
    } else {
      const from = source.view
      const last = end - 4
      const shift = at - start
      for (let i = start; i < last; i += 4) {
        const word = from.getInt32(i, true)
        seen |= word
        view.setInt32(i + shift, word, true)
      }
      // The last word overlaps the word before it, so no loop over the remaining bytes is needed.
      const word = from.getInt32(last, true)
      seen = (seen | word) & highBits
      view.setInt32(last + shift, word, true)
      at += n
    }
    if (seen !== 0 && !isUtf8(bytes.subarray(at - n, at))) this.#repairedText(source, start, end)
    else this.length = at
  }

  #longText(source: ByteSource, start: number, end: number): void {
    const piece = new Uint8Array(source.bytes.buffer, source.bytes.byteOffset + start, end - start)
    if (!isUtf8(piece)) {
      this.#repairedText(source, start, end)
      return
    }
    this.varint(piece.length)
    copyBytes(source.bytes, start, end, this.bytes, this.length)
    this.length += piece.length
  }

  #repairedText(source: ByteSource, start: number, end: number): void {
    this.repaired++
    const { bytes } = repairedText(source, start, end)
    this.varint(bytes.length)
    this.raw(bytes, 0, bytes.length)
  }

  /** Writes a String value. U+FFFD replaces lone surrogates. */
  string(value: string): void {
    const n = value.length
    if (n < 32) {
      this.reserve(n + 1)
      const { bytes } = this
      let at = this.length
      bytes[at++] = n
      let seen = 0
      for (let i = 0; i < n; i++) {
        const code = value.charCodeAt(i)
        seen |= code
        bytes[at++] = code
      }
      if (seen < 0x80) {
        this.length = at
        return
      }
    }
    const encoded = Buffer.byteLength(value)
    this.reserve(encoded + 5)
    this.varint(encoded)
    this.length += utf8Write.call(this.bytes, value, this.length, encoded)
  }

  /** Returns the segments of the current column and starts an empty column. Later writes do not change the returned segments. */
  take(): readonly Uint8Array[] {
    const segments = this.#closed
    this.#usual = Math.min(this.total, segmentBytes)
    if (this.length > 0) segments.push(this.bytes.subarray(0, this.length))
    this.bytes = none
    this.view = new DataView(none.buffer)
    this.length = 0
    this.#closed = []
    this.#closedBytes = 0
    this.repaired = 0
    return segments
  }

  /**
   * Starts an empty column in the current segment. Later writes overwrite the bytes of the previous column, so call this method only on a
   * writer whose bytes are not sent to the column store.
   */
  rewind(): void {
    // Large values are rare, so the memory of a large value is not kept for the next column.
    if (this.bytes.length > keptBytes) this.#open(none)
    if (this.#closed.length > 0) this.take()
    this.length = 0
  }
}
