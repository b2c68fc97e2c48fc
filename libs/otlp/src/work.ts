// Estimates from a request's bytes how long its mapping will take. The size of the rows is a poor measure: a megabyte of text takes a
// millisecond, but a megabyte of tiny values below `metadata` takes three seconds. The receiver of the request and the readers of the
// request's records both use this module, so they compute the same estimate.
import { AppError } from '@svc-server/errors'
import { CountedSpan, shortScopeName } from './counted-span.ts'
import { isPlainAttribute } from './nesting.ts'
import { viewOf } from './viewed.ts'
import { WireReader, wireType } from './wire.ts'
import { dotsIn, indexIn, listing, meaningOf, naming, placed } from './work-keys.ts'
import { brace, bracket, quote, TextMeter } from './work-texts.ts'

/** Default limit in units of work. A unit takes at most about a microsecond of the encoding thread. */
export const defaultMaxWork = 3_000_000

/**
 * Some records do not state their work. A reader measures the work of such a record only if the record has more bytes than this. A
 * smaller record needs no measurement, because its work is at most half of the limit for a request.
 */
export const recountedWorkBytes = 256 * 1024

/**
 * Tokens are counted only in this many leading bytes of a record. A tokenizer takes up to half a microsecond per byte. Without this limit,
 * the eight records of a request of 64 MiB could together block the encoding thread for half a minute. Only a span's position in the
 * record decides whether the span is within this limit. The encoder therefore creates the same row for the span each time it encodes the
 * record.
 */
export const countedRecordBytes = 512 * 1024

/**
 * Units of work for each kind of content. A nightly test checks these units with the most expensive content of each kind
 * (libs/observations/test/work.nightly.test.ts).
 */
const weights = {
  span: 8,
  attribute: 2,
  /** Units for an attribute whose key is a path. The path must be parsed, sorted, and merged. Each part of the path also costs `part`. */
  placedAttribute: 3,
  part: 1,
  /** Units for an element of a list. */
  element: 1,
  /** Units for an entry of a map. The entry gets a name of its own in the metadata columns. */
  entry: 2,
  /**
   * Units for a key that is too long for the runtime to hash. Instead, the runtime compares such a key with all known names of the same
   * length. Together, these names can be 50 MB of text.
   */
  longKey: 3000,
  /** Units for a value in a JSON text. */
  token: 2,
  /** Units for a JSON value that gets its own name in the row, such as a name of metadata. The mapping adds this name to a dictionary. */
  namedToken: 6,
} as const

/** A key of this size has at most 16,383 characters, so the runtime can hash it. */
const hashedBytes = 16 * 1024 - 1

/** A rebuilt list is written up to its largest index, including unused slots. This many slots cost one unit of work. */
const slotsOfUnit = 16

/** The tag of AnyValue.string_value: field 1 of wire type 2. */
const textValueTag = 0x0a

/**
 * Values are measured only down to this level, so that deeply nested values cannot exhaust the stack. Accepted values are never nested so
 * deeply.
 */
const deepestLevel = 512

export interface WorkMeter {
  span(start: number, end: number): number
  /** Measures a resource. Callers add the result once per resource, not once per span. `scope` measures a scope in the same way. */
  resource(start: number, end: number): number
  scope(start: number, end: number): number
  /** Sets the scope name of the spans that follow. */
  within(scopeName: string): void
  /** True if the server would count the tokens of the span (see `CountedSpan`). Does not measure the work of the span. */
  isCountedSpan(start: number, end: number): boolean
  /**
   * Total bytes of the measured spans whose tokens the server counts; a span of more than `countedRecordBytes` bytes adds nothing. The
   * server counts tokens only in the first `countedRecordBytes` bytes of each record. If a request is divided into several records, these
   * first bytes of a record can contain a span from the middle of the request. The units of work do not include `countedBytes`. If they
   * did, a record could have more units than the whole request.
   */
  readonly countedBytes: number
}

/** Creates a meter, which allocates nothing per span. It measures only the readable part of a malformed message. */
export function createWorkMeter(bytes: Uint8Array): WorkMeter {
  const texts = new TextMeter(bytes)
  const view = viewOf(bytes)
  const readers: WireReader[] = []
  /** Work units for each token of JSON in the current attribute. */
  let token: number = weights.token
  let listed = false
  const counted = new CountedSpan(bytes)
  /** Largest list index in any attribute key of the span. */
  let largestIndex = 0
  /** False for attributes of an event or a link. */
  let own = false
  let countedBytes = 0
  /** False while `isCountedSpan` runs. */
  let measures = true
  const readerAt = (level: number, start: number, end: number) => (readers[level] ??= new WireReader()).open(bytes, start, end)

  /** Adds up the work of all attributes of a span, including those of its events (field 11) and links (field 13). */
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
    // If a field occurs several times, only its last occurrence counts, as in libs/observations.
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

  /** Measures an attribute for which `isPlainAttribute` is true. */
  function plainAttribute(start: number, end: number): number {
    const keyEnd = start + 2 + bytes[start + 1]!
    const valueStart = keyEnd + (bytes[keyEnd + 1]! < 0x80 ? 2 : 3)
    const itself = keyed(start + 2, keyEnd, valueStart, end)
    if (!measures || bytes[valueStart] !== textValueTag) return itself
    return itself + text(valueStart + (bytes[valueStart + 1]! < 0x80 ? 2 : 3), end)
  }

  /**
   * Part of an attribute's work depends on the attribute's key. Returns the units of work of this part. Also sets `token` and `listed`,
   * which depend on the key, too. These two variables determine the weight of the attribute's values.
   */
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

/** The error of a request with too much work. */
export const tooMuchWork = (spans: number, maxWork: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already need more than ${maxWork} units of work. Each attribute, and each value in a list or in a JSON text, needs at least one unit of work. Send fewer spans in a request, or send large values as one string that is not JSON.`,
    { limit: maxWork, spans },
  )
