// Reads protobuf's wire format without a schema and without creating objects. Each nesting level has one reusable reader.
import { AppError } from '@svc-server/errors'

export const wireType = { varint: 0, fixed64: 1, length: 2, group: 3, groupEnd: 4, fixed32: 5 } as const

export const malformed = (what: string, position: number): AppError =>
  new AppError('body_undecodable', `Malformed protobuf at byte ${position}: ${what}.`, { position })

const nothing = new Uint8Array(0)
const scratch = new Uint8Array(8)
const scratchDouble = new Float64Array(scratch.buffer)

/** Maximum nesting of groups, a deprecated protobuf feature. The reader skips groups. */
const maxGroupDepth = 64

/**
 * Reads a length prefix. Returns `length * 4 + size`, where `size` is the number of bytes of the prefix. Returns -1 for a prefix of more
 * than three bytes. The length can exceed the buffer.
 */
export function shortLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return (first << 2) | 1
  const second = bytes[at + 1]!
  const low = (first & 0x7f) | ((second & 0x7f) << 7)
  if (second < 0x80) return (low << 2) | 2
  const third = bytes[at + 2]!
  return third < 0x80 ? ((low | (third << 14)) << 2) | 3 : -1
}

/**
 * Iterates over the fields of one message in `bytes[at, end)`. After `next()`, the value is in `bytes[start, stop)`. Fields can be in any
 * order, and the caller must ignore unknown fields. A value never extends beyond `end`.
 */
export class WireReader {
  bytes: Uint8Array = nothing
  /** `at` is the position of the next field. `end` is the position behind the last byte of the message. */
  at = 0
  end = 0
  /** The current field: number, wire type, position of its tag, and range of its value. */
  field = 0
  type = 0
  tagAt = 0
  start = 0
  stop = 0
  /** When `advance` has returned -1, this text describes the error. */
  fault = ''
  /** The two halves of the 64-bit value that was read last. */
  low = 0
  high = 0

  open(bytes: Uint8Array, at = 0, end = bytes.length): this {
    this.bytes = bytes
    this.at = at
    this.end = end
    return this
  }

  /** Returns false at the end of the message. @throws AppError body_undecodable with the position. */
  next(): boolean {
    const step = this.advance()
    if (step < 0) throw malformed(this.fault, this.at)
    return step === 1
  }

  /**
   * Like `next`, but returns 1 for a field, 0 at the end, and -1 for a malformed message (`fault` describes the error at `at`). Unlike
   * `next`, it does not throw. If it threw, a hostile body could make the server create one Error object per span.
   */
  advance(): -1 | 0 | 1 {
    const { bytes, end } = this
    let at = this.at
    if (at >= end) return 0
    this.tagAt = at
    let tag = bytes[at++]!
    if (tag >= 0x80) {
      tag &= 0x7f
      for (let shift = 7; ; shift += 7) {
        if (at >= end) return this.#fail('truncated tag', at)
        const byte = bytes[at++]!
        if (shift === 28 && byte > 0x0f) return this.#fail('tag out of range', at - 1)
        tag |= (byte & 0x7f) << shift
        if (byte < 0x80) break
      }
    }
    this.field = tag >>> 3
    this.type = tag & 7
    if (this.field === 0) return this.#fail('field number 0', this.tagAt)
    if (this.type === 2) {
      if (at >= end) return this.#fail('truncated length', at)
      let length = bytes[at++]!
      if (length >= 0x80) {
        length &= 0x7f
        let scale = 128
        for (let count = 1; ; count++, scale *= 128) {
          if (at >= end) return this.#fail('truncated length', at)
          const byte = bytes[at++]!
          if (count === 9 && byte > 1) return this.#fail('length out of range', at - 1)
          length += (byte & 0x7f) * scale
          if (byte < 0x80) break
        }
      }
      if (length > end - at) return this.#fail(`length ${length} passes the end of the message (${end - at} bytes left)`, at)
      this.start = at
      this.at = this.stop = at + length
      return 1
    }
    this.start = at
    if (this.type === 0) {
      for (let count = 0; ; count++) {
        if (at >= end) return this.#fail('truncated varint', at)
        if (count === 10) return this.#fail('varint of more than 10 bytes', at)
        if (bytes[at++]! < 0x80) break
      }
    } else if (this.type === 1) at += 8
    else if (this.type === 5) at += 4
    else if (this.type === 3) return this.#skipGroup(at)
    else return this.#fail(this.type === 4 ? 'end of a group that was not opened' : `wire type ${this.type}`, this.tagAt)
    if (at > end) return this.#fail('truncated number', this.start)
    this.at = this.stop = at
    return 1
  }

  #fail(what: string, position: number): -1 {
    this.fault = what
    this.at = position
    return -1
  }

  /** Skips a group without recursion, because clients choose the depth of groups. */
  #skipGroup(from: number): -1 | 0 | 1 {
    const inner = new WireReader().open(this.bytes, from, this.end)
    const open = [this.field]
    while (open.length > 0) {
      const { bytes, end } = inner
      const at = inner.at
      const step = at < end && (bytes[at]! & 7) >= 3 && (bytes[at]! & 7) <= 4 ? inner.#groupTag(open) : inner.advance()
      if (step < 0) return this.#fail(inner.fault, inner.at)
      if (step === 0) return this.#fail('group without an end', inner.at)
    }
    this.at = this.stop = inner.at
    return 1
  }

  #groupTag(open: number[]): -1 | 1 {
    const { bytes, end } = this
    let at = this.at
    let tag = 0
    for (let shift = 0; ; shift += 7) {
      if (at >= end || shift > 28) return this.#fail('truncated tag', at)
      const byte = bytes[at++]!
      tag |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    const field = tag >>> 3
    if ((tag & 7) === 3) {
      if (open.length >= maxGroupDepth) return this.#fail(`groups nested deeper than ${maxGroupDepth}`, this.at)
      open.push(field)
    } else if (open.pop() !== field) return this.#fail('end of another group', this.at)
    this.at = at
    return 1
  }

  /** Returns the low 32 bits, for enums, counters, and booleans. */
  uint32(): number {
    this.varint64()
    return this.low
  }

  /** Reads the value into `low` and `high`, its unsigned halves. */
  varint64(): void {
    const { bytes, stop } = this
    let low = 0
    let high = 0
    let shift = 0
    for (let at = this.start; at < stop; at++, shift += 7) {
      const part = bytes[at]! & 0x7f
      if (shift < 28) low |= part << shift
      else if (shift === 28) {
        low |= part << 28
        high = part >>> 4
      } else if (shift < 64) high |= part << (shift - 32)
    }
    this.low = low >>> 0
    this.high = high >>> 0
  }

  /** Reads the value into `low` and `high`, its unsigned halves. */
  fixed64(): void {
    this.low = readUint32(this.bytes, this.start)
    this.high = readUint32(this.bytes, this.start + 4)
  }

  fixed32(): number {
    return readUint32(this.bytes, this.start)
  }

  double(): number {
    for (let i = 0; i < 8; i++) scratch[i] = this.bytes[this.start + i]!
    return scratchDouble[0]!
  }
}

const readUint32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0

/** Converts nanoseconds (given as two 32-bit halves) to microseconds, rounded down. The result is exact up to the year 2255. */
export const microsOf = (low: number, high: number): number => {
  const quotient = Math.floor(high / 1000)
  const rest = high - quotient * 1000
  return quotient * 4294967296 + Math.floor((rest * 4294967296 + low) / 1000)
}

/** Returns a signed integer, which is rounded beyond ±(2^53 - 1). Check `isSafe` or use `int64Text`. */
export const int64Number = (low: number, high: number): number => (high | 0) * 4294967296 + low

/** Returns the exact signed integer as text. */
export const int64Text = (low: number, high: number): string => {
  const value = int64Number(low, high)
  return Number.isSafeInteger(value) ? String(value) : ((BigInt(high | 0) << 32n) | BigInt(low)).toString()
}

/** Returns an unsigned 64-bit integer as text, with all digits. */
export const uint64Text = (low: number, high: number): string => ((BigInt(high) << 32n) | BigInt(low)).toString()

/** True if all bytes of the range are zero, or if it is empty. */
export const isZero = (bytes: Uint8Array, start: number, stop: number): boolean => {
  for (let at = start; at < stop; at++) if (bytes[at] !== 0) return false
  return true
}

export const varintSize = (value: number): number => (value < 128 ? 1 : value < 16384 ? 2 : value < 2097152 ? 3 : value < 268435456 ? 4 : 5)

/** Writes a number below 2^32. Returns the end position. */
export const writeVarint = (target: Uint8Array, at: number, value: number): number => {
  while (value >= 128) {
    target[at++] = (value & 0x7f) | 0x80
    value >>>= 7
  }
  target[at++] = value
  return at
}
