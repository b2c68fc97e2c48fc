// Writes protobuf into one growing buffer. A message begins with space for its length, which is filled in at the end.

import { type Viewed, viewOf } from '../viewed.ts'
import { varintSize, writeVarint } from '../wire.ts'

/** Text of at most this length is copied in units of four bytes, because a native copy costs some 40 ns. */
const shortText = 64

export class ProtoWriter implements Viewed {
  bytes: Buffer
  view: DataView
  at = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
    this.view = viewOf(this.bytes)
  }

  /**
   * Ensures space for `size` bytes and four more, because `copy` can write up to three bytes too many. A write past the end of a typed
   * array would be lost without an error.
   */
  ensure(size: number): void {
    if (this.at + size + 4 <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length + (this.bytes.length >>> 1), this.at + size + 4096))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
    this.view = viewOf(larger)
  }

  tag(field: number, type: number): void {
    const tag = ((field << 3) | type) >>> 0
    if (tag < 0x80) this.bytes[this.at++] = tag
    else this.at = writeVarint(this.bytes, this.at, tag)
  }

  varint(value: number): void {
    if (value < 0x80) this.bytes[this.at++] = value
    else this.at = writeVarint(this.bytes, this.at, value)
  }

  varint64(low: number, high: number): void {
    while (high !== 0) {
      this.bytes[this.at++] = (low & 0x7f) | 0x80
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    this.varint(low)
  }

  fixed32(value: number): void {
    this.view.setInt32(this.at, value, true)
    this.at += 4
  }

  double(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  /** The caller must have reserved the space. */
  copy(source: Viewed, start: number, stop: number): void {
    const { view, at } = this
    const length = stop - start
    if (length <= shortText && stop + 3 <= source.bytes.length) {
      // The loop can write up to three bytes too many. The next write overwrites these bytes.
      for (let i = 0; i < length; i += 4) view.setInt32(at + i, source.view.getInt32(start + i, true), true)
    } else source.bytes.copy(this.bytes, at, start, stop)
    this.at = at + length
  }

  /** The caller must have reserved the space. */
  put(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Writes the tag and reserves space for the length. Returns where the content starts. */
  open(field: number, lengthBytes: number): number {
    this.ensure(16)
    this.tag(field, 2)
    return (this.at += lengthBytes)
  }

  /**
   * Ends the message whose content began at `start`. A length shorter than its reserved space becomes a padded varint (80 00 is 0), which
   * every decoder reads. If the length needs more space than was reserved, `close` moves the content.
   */
  close(start: number, lengthBytes: number): void {
    const length = this.at - start
    const wanted = varintSize(length)
    if (wanted > lengthBytes) {
      const shift = wanted - lengthBytes
      this.ensure(shift)
      this.bytes.copyWithin(start + shift, start, this.at)
      this.at += shift
      writeVarint(this.bytes, start - lengthBytes, length)
    } else this.paddedVarint(start - lengthBytes, length, lengthBytes)
  }

  paddedVarint(at: number, value: number, width: number): void {
    for (; width > 1; width--, value >>>= 7) this.bytes[at++] = (value & 0x7f) | 0x80
    this.bytes[at] = value
  }
}
