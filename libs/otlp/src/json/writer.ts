// Writes protobuf into one growing buffer. A message begins before its length is known, so the writer reserves space for the length and
// fills it in at the end.

import { type Viewed, viewOf } from '../viewed.ts'
import { varintSize, writeVarint } from '../wire.ts'

/** Copies text up to this length in units of four bytes, because a native copy costs some 40 ns. */
const shortText = 64

export class ProtoWriter implements Viewed {
  bytes: Buffer
  view: DataView
  at = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
    this.view = viewOf(this.bytes)
  }

  /** Makes room for `size` more bytes plus four, because a write past the end of a typed array would be lost without an error. */
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

  /** The caller must have reserved the space in the buffer. */
  copy(source: Viewed, start: number, stop: number): void {
    const { view, at } = this
    const length = stop - start
    if (length <= shortText && stop + 3 <= source.bytes.length) {
      // Copying in units of four bytes can write three bytes too many, which the next write overwrites.
      for (let i = 0; i < length; i += 4) view.setInt32(at + i, source.view.getInt32(start + i, true), true)
    } else source.bytes.copy(this.bytes, at, start, stop)
    this.at = at + length
  }

  /** The caller must have reserved the space in the buffer. */
  put(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Begins a message: writes its tag and reserves space for its length. Returns the position at which the message's content starts. */
  open(field: number, lengthBytes: number): number {
    this.ensure(16)
    this.tag(field, 2)
    return (this.at += lengthBytes)
  }

  /**
   * Ends the message whose content began at `start`. A length that needs fewer bytes than reserved becomes a padded varint (80 00 is 0),
   * which every protobuf decoder reads. Moves the content if its length needs more bytes than are reserved.
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
