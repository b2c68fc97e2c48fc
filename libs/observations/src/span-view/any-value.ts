// Reads the kind of an AnyValue, and the range of its bytes on the wire. Nothing is copied.
import type { ByteSource } from '@svc-server/column-store/native'
import { int64Number, int64Text, shortLength, WireReader, wireType } from '@svc-server/otlp/wire'

export const valueKind = { none: 0, text: 1, bool: 2, int: 3, double: 4, array: 5, map: 6, bytes: 7 } as const

/** The kind of a value, and the range of its content on the wire. The content is a text, bytes, elements, or the digits of an integer. */
export interface WireValue {
  kind: number
  start: number
  end: number
  /** Value of a number; 0 or 1 for a boolean. Integers beyond 2^53 are rounded; `exactInt` reads them exactly. */
  number: number
}

export const emptyValue = (): WireValue => ({ kind: valueKind.none, start: 0, end: 0, number: 0 })

const reader = new WireReader()

const kindOfField = [
  valueKind.none,
  valueKind.text,
  valueKind.bool,
  valueKind.int,
  valueKind.double,
  valueKind.array,
  valueKind.map,
  valueKind.bytes,
] as const
const wireTypeOfKind = [
  -1,
  wireType.length,
  wireType.varint,
  wireType.varint,
  wireType.fixed64,
  wireType.length,
  wireType.length,
  wireType.length,
] as const

/** Returns false for a malformed value. A value without a known field has the kind `none`. */
export function readAnyValue({ bytes, view }: ByteSource, start: number, end: number, into: WireValue): boolean {
  into.kind = valueKind.none
  into.start = into.end = end
  into.number = 0
  if (start === end) return true
  const tag = bytes[start]!
  // Most values have only one field: a short text, a small integer or a double. These branches read such values without `readFields`.
  if (tag === 0x0a && end - start >= 2) {
    // The general code below reads longer texts.
    const length = shortLength(bytes, start + 1)
    const at = start + 1 + (length & 3)
    if (length > 0 && at + (length >> 2) === end) {
      into.kind = valueKind.text
      into.start = at
      return true
    }
  } else if (tag === 0x18 && end - start >= 2 && end - start <= 5) {
    const number = shortVarint(bytes, start + 1, end)
    if (number >= 0) {
      into.kind = valueKind.int
      into.start = start + 1
      into.number = number
      return true
    }
  } else if (tag === 0x21 && end - start === 9) {
    into.kind = valueKind.double
    into.start = start + 1
    into.number = view.getFloat64(start + 1, true)
    return true
  }
  return readFields(bytes, start, end, into)
}

/** Reads a varint that fills [start, end) and has at most four bytes. Returns -1 if the bytes have any other form. */
function shortVarint(bytes: Uint8Array, start: number, end: number): number {
  let number = bytes[end - 1]!
  if (number >= 0x80) return -1
  for (let at = end - 2; at >= start; at--) {
    const byte = bytes[at]!
    if (byte < 0x80) return -1
    number = (number << 7) | (byte & 0x7f)
  }
  return number
}

function readFields(bytes: Uint8Array, start: number, end: number, into: WireValue): boolean {
  reader.open(bytes, start, end)
  for (let step = reader.advance(); step !== 0; step = reader.advance()) {
    if (step < 0) return false
    if (reader.field >= kindOfField.length) continue
    const kind = kindOfField[reader.field]!
    if (reader.type !== wireTypeOfKind[kind]) continue
    into.kind = kind
    into.start = reader.start
    into.end = reader.stop
    into.number = numberOf(kind)
  }
  return true
}

function numberOf(kind: number): number {
  if (kind === valueKind.double) return reader.double()
  if (kind !== valueKind.int && kind !== valueKind.bool) return 0
  reader.varint64()
  if (kind === valueKind.int) return int64Number(reader.low, reader.high)
  return (reader.low | reader.high) === 0 ? 0 : 1
}

/** Exact beyond 2^53. */
export function exactInt(bytes: Uint8Array, value: WireValue): string {
  if (Number.isSafeInteger(value.number)) return String(value.number)
  reader.start = value.start
  reader.stop = value.end
  reader.bytes = bytes
  reader.varint64()
  return int64Text(reader.low, reader.high)
}

/** Each level of nesting has its own reader, so that a visitor can visit the elements of an element. */
const levels: WireReader[] = []
let level = 0

export function forEachElement(bytes: Uint8Array, value: WireValue, visit: (start: number, end: number) => void): void {
  const elements = (levels[level] ??= new WireReader()).open(bytes, value.start, value.end)
  level++
  try {
    while (elements.next()) {
      if (elements.field === 1 && elements.type === wireType.length) visit(elements.start, elements.stop)
    }
  } finally {
    level--
  }
}

/** A missing key or value has an empty range. */
export function forEachEntry(
  bytes: Uint8Array,
  value: WireValue,
  visit: (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void,
): void {
  forEachElement(bytes, value, (start, end) => {
    let [keyStart, keyEnd, valueStart, valueEnd] = [0, 0, 0, 0]
    reader.open(bytes, start, end)
    while (reader.next()) {
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) {
        keyStart = reader.start
        keyEnd = reader.stop
      } else if (reader.field === 2) {
        valueStart = reader.start
        valueEnd = reader.stop
      }
    }
    visit(keyStart, keyEnd, valueStart, valueEnd)
  })
}
