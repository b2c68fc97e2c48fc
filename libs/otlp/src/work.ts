// Estimates, before a request is mapped, how long the mapping will take. The estimate depends only on the request's bytes. The size of the
// rows is a poor measure of work: copying a megabyte of text takes a millisecond, but a megabyte of tiny values below `metadata` takes
// three seconds. The receiver and the readers compute the same sum.
import { AppError } from '@svc-server/errors'
import { CountedSpan, shortScopeName } from './counted-span.ts'
import { isPlainAttribute } from './nesting.ts'
import { viewOf } from './viewed.ts'
import { WireReader, wireType } from './wire.ts'
import { dotsIn, indexIn, listing, meaningOf, naming, placed } from './work-keys.ts'
import { brace, bracket, quote, TextMeter } from './work-texts.ts'

/**
 * Maximum units of work of a request. For the worst shape of each kind of content, a unit is about a microsecond of the encoding thread.
 */
export const defaultMaxWork = 3_000_000

/**
 * Readers measure a record without stated work only from this size on. A smaller record needs at most half of a request's limit, whatever
 * its contents are. Typical records are smaller, so only the gateway measures them.
 */
export const recountedWorkBytes = 256 * 1024

/**
 * Number of leading bytes of a record in which tokens are counted. A tokenizer takes half a microsecond per byte for unknown words and less
 * for prose, and the kind of text cannot be known before. Without a limit, the eight records of a 64 MiB request would block the encoding
 * thread, which all records share, for half a minute. A span's position in the record determines whether its tokens are counted, so a row
 * does not depend on which rows are selected.
 */
export const countedRecordBytes = 512 * 1024

/** Units of work by kind of content, from measurements of the worst shapes (libs/observations/test/work.nightly.test.ts). */
const weights = {
  span: 8,
  attribute: 2,
  /**
   * An attribute whose key contains a path. Work for parsing and sorting the key and merging its value with others. Each part of a key with
   * a path is charged as `part`.
   */
  placedAttribute: 3,
  part: 1,
  /** An element of a list. */
  element: 1,
  /** An entry of a map. Each entry becomes a separate metadata name. */
  entry: 2,
  /**
   * A key that is too long for the runtime to hash. The JavaScript runtime compares a name that is too long to hash with all known names of
   * the same length, which can be 50 MB of text.
   */
  longKey: 3000,
  /** A value in a JSON text. */
  token: 2,
  /** A JSON value in an attribute whose members become separate metadata names. Each metadata name must be added to a dictionary. */
  namedToken: 6,
} as const

/** A key with at most this many bytes has at most 16,383 characters, so the runtime can hash it. */
const hashedBytes = 16 * 1024 - 1

/**
 * Number of unused list slots that cost one unit of work. Unused slots cause work because a rebuilt list is written up to its last index.
 */
const slotsOfUnit = 16

/** AnyValue.string_value, field 1 of wire type 2. */
const textValueTag = 0x0a

/**
 * Maximum nesting that is measured, above that of any accepted value. Other code rejects deeper values later, but they must not exhaust the
 * stack here.
 */
const deepestLevel = 512

export interface WorkMeter {
  /** Returns the work of the span in `bytes[start, end)`. */
  span(start: number, end: number): number
  /** Returns the work of the attributes of a resource or scope. The work of a resource or scope counts once for all of its spans. */
  resource(start: number, end: number): number
  scope(start: number, end: number): number
  /** Sets the scope name of the spans that follow. */
  within(scopeName: string): void
  /** True if the span has texts whose tokens the server would count (see `CountedSpan`). Measures nothing else. */
  isCountedSpan(start: number, end: number): boolean
  /**
   * Bytes so far of the spans whose tokens the server counts, up to the limit of a record. The bytes of these spans are not part of the
   * units of work. Dividing a request moves spans to positions at which tokens are counted, so a part could otherwise have more units than
   * the whole request.
   */
  readonly countedBytes: number
}

/**
 * Creates a meter for well-formed messages. Measures only the readable part of a malformed message. The meter allocates nothing per span.
 */
export function createWorkMeter(bytes: Uint8Array): WorkMeter {
  const texts = new TextMeter(bytes)
  const view = viewOf(bytes)
  const readers: WireReader[] = []
  /** Units of a JSON value in the current attribute. */
  let token: number = weights.token
  let listed = false
  const counted = new CountedSpan(bytes)
  /** Largest index among the keys of the span. */
  let largestIndex = 0
  /** True if the attribute belongs to the span itself, and not to an event or a link. */
  let own = false
  let countedBytes = 0
  /** False while `isCountedSpan` runs, which does not measure values. */
  let measures = true
  const readerAt = (level: number, start: number, end: number) => (readers[level] ??= new WireReader()).open(bytes, start, end)

  /** Returns the work of a span's attributes, and of the attributes of its events (field 11) and links (field 13). */
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
    // Uses the last occurrence of a repeated field, as the mapping does.
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

  /** Measures an attribute for which `isPlainAttribute` is true: the positions of its key and value are known. */
  function plainAttribute(start: number, end: number): number {
    const keyEnd = start + 2 + bytes[start + 1]!
    const valueStart = keyEnd + (bytes[keyEnd + 1]! < 0x80 ? 2 : 3)
    const itself = keyed(start + 2, keyEnd, valueStart, end)
    if (!measures || bytes[valueStart] !== textValueTag) return itself
    return itself + text(valueStart + (bytes[valueStart + 1]! < 0x80 ? 2 : 3), end)
  }

  /** Returns the work for the key of the attribute. Also sets the weight of the value, which depends on the key. */
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

/** Returns the error for a request that takes too much work, with advice for its sender. */
export const tooMuchWork = (spans: number, maxWork: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already need more than ${maxWork} units of work. Each attribute needs at least one unit of work, as does each value in a list or in a JSON text. Send fewer spans in a request, or send large values as one string that is not JSON.`,
    { limit: maxWork, spans },
  )
