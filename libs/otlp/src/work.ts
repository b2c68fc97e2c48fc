// Estimates the cost of mapping a request from its bytes, before mapping. The row bytes do not determine the cost: a megabyte of one text
// is copied in a millisecond, but a megabyte of tiny values below `metadata` takes three seconds. Receiver and readers compute the same
// sum.
import { AppError } from '@svc-server/errors'
import { CountedSpan, shortScopeName } from './counted-span.ts'
import { isPlainAttribute } from './nesting.ts'
import { viewOf } from './viewed.ts'
import { WireReader, wireType } from './wire.ts'
import { dotsIn, indexIn, listing, meaningOf, naming, placed } from './work-keys.ts'
import { brace, bracket, quote, TextMeter } from './work-texts.ts'

/**
 * Maximum units of work of a request. A unit is about a microsecond of the encoding thread, for the worst shape of each kind of content.
 */
export const defaultMaxWork = 3_000_000

/**
 * If a record does not state its work and has at least this size, readers count the work. Even the worst message below this size takes only
 * half of a request's limit, so readers do not have to measure it, and a typical record is measured only once.
 */
export const recountedWorkBytes = 256 * 1024

/**
 * Tokens are counted only in the first bytes of a record, up to this number. A tokenizer takes half a microsecond per byte for unknown
 * words and less for prose, and the bytes do not show which. Without this limit, the encoding thread, which all records share, would be
 * busy for half a minute with the eight records of a 64 MiB request. The limit depends on the position in the record, so that a row is the
 * same whichever rows are selected.
 */
export const countedRecordBytes = 512 * 1024

/** Units by kind, from measured worst shapes: libs/observations/test/work.nightly.test.ts. */
const weights = {
  span: 8,
  attribute: 2,
  /** An attribute whose key determines its position, and each part of the key: it is parsed, sorted, and merged with others. */
  placedAttribute: 3,
  part: 1,
  /** An element of a list. */
  element: 1,
  /** An entry of a map, which becomes a separate name. */
  entry: 2,
  /**
   * A key that is too long for the runtime to hash. When the runtime uses such a key as a name, it compares the key with all names of the
   * same length in memory, some 50 MB.
   */
  longKey: 3000,
  /** A value in a JSON text. */
  token: 2,
  /** A JSON value below a key whose members become separate rows: each name is learned individually. */
  namedToken: 6,
} as const

/** A key of up to this many bytes is always hashed: it has at most 16,383 characters, which the runtime hashes. */
const hashedBytes = 16 * 1024 - 1

/** Unused list slots per unit: a rebuilt list is written up to its last index. */
const slotsOfUnit = 16

/** AnyValue.string_value, field 1 of wire type 2. */
const textValueTag = 0x0a

/**
 * This level is deeper than any accepted value. Other code rejects a value that is too deep; until then, the value must not exhaust the
 * stack of this code.
 */
const deepestLevel = 512

export interface WorkMeter {
  /** Work of the span in `bytes[start, end)`. */
  span(start: number, end: number): number
  /** Work of the attributes of a resource or scope, which is counted once for all of its spans. */
  resource(start: number, end: number): number
  scope(start: number, end: number): number
  /** Sets the scope name of the following spans; `scope` does this for callers that measure scopes. */
  within(scopeName: string): void
  /** Whether the span has texts whose tokens the server would count (see `CountedSpan`); measures nothing else. */
  isCountedSpan(start: number, end: number): boolean
  /**
   * Bytes of the spans with such texts so far, up to the limit of a record. These bytes are not part of the units of work: when a request
   * is cut, spans are moved to positions at which tokens are counted, so a part could otherwise have more units than its request.
   */
  readonly countedBytes: number
}

/**
 * Measures well-formed messages. If a message is malformed, the meter measures the part that can be read. The meter allocates nothing per
 * span.
 */
export function createWorkMeter(bytes: Uint8Array): WorkMeter {
  const texts = new TextMeter(bytes)
  const view = viewOf(bytes)
  const readers: WireReader[] = []
  /** Weight of a JSON value in the current attribute. */
  let token: number = weights.token
  let listed = false
  const counted = new CountedSpan(bytes)
  /** Largest index among the keys of the span. */
  let largestIndex = 0
  /** Whether the attribute belongs to the span itself. */
  let own = false
  let countedBytes = 0
  /** Whether values are also measured, or only the decision about counting is made. */
  let measures = true
  const readerAt = (level: number, start: number, end: number) => (readers[level] ??= new WireReader()).open(bytes, start, end)

  /** Messages of a span: its attributes, and those of events (field 11) and links (13). */
  function attributesOf(start: number, end: number, field: number, level: number): number {
    const reader = readerAt(level, start, end)
    let work = 0
    while (reader.advance() === 1) {
      if (reader.type !== wireType.length) continue
      if (reader.field === field) {
        own = field === 9
        work += attribute(reader.start, reader.stop, level + 1)
      } else if (level === 0 && field === 9 && reader.field === 11) work += weights.entry + attributesOf(reader.start, reader.stop, 3, 1)
      else if (level === 0 && field === 9 && reader.field === 13) work += weights.entry + attributesOf(reader.start, reader.stop, 4, 1)
    }
    return work
  }

  function attribute(start: number, end: number, level: number): number {
    if (isPlainAttribute(bytes, start, end)) return plainAttribute(start, end)
    const reader = readerAt(level, start, end)
    let keyStart = start
    let keyEnd = start
    let valueStart = start
    let valueEnd = start
    // Like the mapping, the last occurrence of a repeated field counts.
    while (reader.advance() === 1) {
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) {
        keyStart = reader.start
        keyEnd = reader.stop
      } else if (reader.field === 2) {
        valueStart = reader.start
        valueEnd = reader.stop
      }
    }
    const itself = keyed(keyStart, keyEnd, valueStart, valueEnd)
    return measures ? itself + longKey(keyStart, keyEnd) + value(valueStart, valueEnd, level, false) : itself
  }

  /** Measures an attribute that `isPlainAttribute` accepted; key and value are at known positions. */
  function plainAttribute(start: number, end: number): number {
    const keyEnd = start + 2 + bytes[start + 1]!
    const valueStart = keyEnd + (bytes[keyEnd + 1]! < 0x80 ? 2 : 3)
    const itself = keyed(start + 2, keyEnd, valueStart, end)
    if (!measures || bytes[valueStart] !== textValueTag) return itself
    return itself + text(valueStart + (bytes[valueStart + 1]! < 0x80 ? 2 : 3), end)
  }

  /** Returns the work of the attribute without its value. The attribute's key sets the weight of the value. */
  function keyed(start: number, end: number, valueStart: number, valueEnd: number): number {
    const meaning = meaningOf(bytes, view, start, end)
    if (own) counted.attribute(meaning, valueStart, valueEnd)
    token = (meaning & naming) === 0 ? weights.token : weights.namedToken
    listed = (meaning & listing) !== 0
    if ((meaning & placed) === 0) return weights.attribute
    largestIndex = Math.max(largestIndex, indexIn(meaning))
    return weights.placedAttribute + weights.part * dotsIn(meaning)
  }

  function value(start: number, end: number, level: number, inside: boolean): number {
    if (level > deepestLevel) return 0
    const reader = readerAt(level, start, end)
    let work = 0
    while (reader.advance() === 1) {
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) work += inside ? texts.controls(reader.start, reader.stop) : text(reader.start, reader.stop)
      else if (reader.field === 5) work += elements(reader.start, reader.stop, level + 1)
      else if (reader.field === 6) work += entries(reader.start, reader.stop, level + 1)
    }
    return work
  }

  function elements(start: number, end: number, level: number): number {
    const reader = readerAt(level, start, end)
    const each = token === weights.namedToken ? token : weights.element
    let work = 0
    while (reader.advance() === 1) {
      if (reader.field === 1 && reader.type === wireType.length) work += each + value(reader.start, reader.stop, level + 1, true)
    }
    return work
  }

  function entries(start: number, end: number, level: number): number {
    const list = readerAt(level, start, end)
    const each = token === weights.namedToken ? token : weights.entry
    let work = 0
    while (list.advance() === 1) {
      if (list.field !== 1 || list.type !== wireType.length) continue
      work += each
      const entry = readerAt(level + 1, list.start, list.stop)
      while (entry.advance() === 1) {
        if (entry.type !== wireType.length) continue
        if (entry.field === 1) work += texts.controls(entry.start, entry.stop) + longKey(entry.start, entry.stop)
        else if (entry.field === 2) work += value(entry.start, entry.stop, level + 2, true)
      }
    }
    return work
  }

  function text(start: number, end: number): number {
    const first = texts.firstOf(start, end)
    if (first === quote || listed) return token * texts.separators(start, end) + texts.controls(start, end)
    return first === brace || first === bracket ? token * texts.tokens(start, end) : texts.controls(start, end)
  }

  return {
    span(start, end) {
      counted.begin()
      largestIndex = 0
      const work = weights.span + attributesOf(start, end, 9, 0) + Math.floor(largestIndex / slotsOfUnit)
      if (counted.isCounted && end - start <= countedRecordBytes) countedBytes += end - start
      return work
    },
    isCountedSpan(start, end) {
      counted.begin()
      measures = false
      attributesOf(start, end, 9, 0)
      measures = true
      return counted.isCounted
    },
    resource: (start, end) => attributesOf(start, end, 1, 0),
    scope(start, end) {
      counted.within(shortScopeName(bytes, start, end))
      return attributesOf(start, end, 3, 0)
    },
    within: scopeName => counted.within(scopeName),
    get countedBytes() {
      return countedBytes
    },
  }
}

const longKey = (start: number, end: number): number => (end - start > hashedBytes ? weights.longKey : 0)

/** The error for a request that takes too much work, with advice for its sender. */
export const tooMuchWork = (spans: number, maxWork: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already take more than ${maxWork} units of work: an attribute, a value in a list or in a JSON text each take one or more. Send fewer spans in a request, or send large values as one string that is not JSON.`,
    { limit: maxWork, spans },
  )
