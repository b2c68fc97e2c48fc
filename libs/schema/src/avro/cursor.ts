// Reads Avro primitives from bytes and checks every length, so that a corrupt count causes an error instead of a large allocation.
import { UndecodableRecord } from './undecodable-record.ts'

const malformed = (what: string) => new UndecodableRecord('malformed', `The record is damaged: ${what}.`)

export class AvroCursor {
  readonly #bytes: Buffer
  #position: number

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#position = position
  }

  get remaining(): number {
    return this.#bytes.length - this.#position
  }

  get position(): number {
    return this.#position
  }

  /** Reads a zigzag varint. Throws for values beyond 2^53: a JavaScript number would round them, and no record contains them. */
  long(): number {
    const first = this.#next()
    // Removes the lowest bit, which is the sign. The other bits, together with the bits of the next bytes, form the magnitude.
    let magnitude = (first & 0x7f) >> 1
    let byte = first
    for (let scale = 64; byte >= 0x80; scale *= 128) {
      if (scale > 2 ** 53) throw malformed('a number is out of range')
      byte = this.#next()
      magnitude += (byte & 0x7f) * scale
    }
    const value = (first & 1) === 0 ? magnitude : -magnitude - 1
    if (!Number.isSafeInteger(value)) throw malformed('a number is out of range')
    return value
  }

  int(): number {
    const value = this.long()
    if (value !== (value | 0)) throw malformed('a number is out of range')
    return value
  }

  double(): number {
    if (this.remaining < 8) throw malformed('it ends inside a value')
    const value = this.#bytes.readDoubleLE(this.#position)
    this.#position += 8
    return value
  }

  boolean(): boolean {
    const byte = this.#next()
    if (byte !== 0 && byte !== 1) throw malformed('a boolean is neither 0 nor 1')
    return byte === 1
  }

  /** Reads bytes as a view of the input. */
  bytes(): Buffer {
    const end = this.#end()
    const view = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return view
  }

  string(): string {
    const end = this.#end()
    const text = this.#bytes.toString('utf8', this.#position, end)
    this.#position = end
    return text
  }

  skip(): void {
    this.#position = this.#end()
  }

  /**
   * Reads the number of items in the next array block; 0 at the end. An item takes at least one byte, so a count above the remaining bytes
   * is corrupt.
   */
  blockCount(): number {
    let count = this.long()
    if (count < 0) {
      count = -count
      this.long()
    }
    if (count > this.remaining) throw malformed('an array is longer than the record')
    return count
  }

  #next(): number {
    const byte = this.#bytes[this.#position++]
    if (byte === undefined) throw malformed('it ends inside a value')
    return byte
  }

  #end(): number {
    const length = this.long()
    if (length < 0 || length > this.remaining) throw malformed('a text or payload is longer than the record')
    return this.#position + length
  }
}
