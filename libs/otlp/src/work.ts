// What a request costs whoever maps it, known from its bytes before anything is made of them. Bytes of rows
// do not say it: a megabyte of one text is copied in a millisecond, a megabyte of tiny values below
// `metadata` takes three seconds. Receiver and readers hold the same sum.
import { AppError } from '@svc-server/errors'
import { CountedSpan, shortScopeName } from './counted-span.ts'
import { isPlainAttribute } from './nesting.ts'
import { viewOf } from './viewed.ts'
import { WireReader, wireType } from './wire.ts'
import { dotsIn, indexIn, listing, meaningOf, naming, placed } from './work-keys.ts'
import { brace, bracket, quote, TextMeter } from './work-texts.ts'

/**
 * Units of work that a request may take. A unit is about a microsecond of the encoding thread in the worst
 * shape of its kind.
 */
export const defaultMaxWork = 3_000_000

/**
 * Readers count from here on where a record does not say its work. The worst message below it takes half of what a request may, so that what a
 * gateway let pass passes here uncounted, too, and the usual record is not measured twice.
 */
export const recountedWorkBytes = 256 * 1024

/**
 * Tokens are counted in so much of a record. What a tokenizer does not know by heart takes it half a
 * microsecond a byte, prose less than that, and no look at the bytes tells them apart; the eight records of a
 * request of 64 MiB would otherwise keep the thread that encodes for everybody busy for half a minute. By
 * place in the record, so that a row is the same whichever rows are asked for.
 */
export const countedRecordBytes = 512 * 1024

/** Units by kind, from measured worst shapes: libs/observations/test/work.nightly.test.ts. */
const weights = {
  span: 8,
  attribute: 2,
  /**
   * One whose place is in its key, and each part of that: it is read, sorted and put together with others.
   */
  placedAttribute: 3,
  part: 1,
  /** An element of a list. */
  element: 1,
  /** An entry of a map: it becomes a name of its own. */
  entry: 2,
  /**
   * A key that is longer than the runtime hashes: wherever it becomes a name it is compared with all of its length that are in memory, some 50 MB.
   */
  longKey: 3000,
  /** A value in a JSON text. */
  token: 2,
  /** The same below a key whose members become rows of their own: names are learnt one by one. */
  namedToken: 6,
} as const

/** Of a key: a character has a byte at least, and 16,383 characters are hashed. */
const hashedBytes = 16 * 1024 - 1

/** A list that is rebuilt is written up to its last index: so many places that nothing stands in are a unit. */
const slotsOfUnit = 16

/** AnyValue.string_value, field 1 of wire type 2. */
const textValueTag = 0x0a

/**
 * Deeper than anything that is accepted: what is unsound is refused for that, and must not take the stack.
 */
const deepestLevel = 512

export interface WorkMeter {
  /** Of a span in `bytes[start, end)`. */
  span(start: number, end: number): number
  /** Of the attributes of a resource and of a scope, once for all their spans. */
  resource(start: number, end: number): number
  scope(start: number, end: number): number
  /** Of spans whose scope is called so: `scope` does it, for who does not ask that. */
  within(scopeName: string): void
  /** The last span has texts whose tokens are counted, if anybody's are: see `CountedSpan`. */
  readonly isCounted: boolean
  /**
   * Bytes of those spans so far, but for what no record counts. No units of work: a cut moves spans to where
   * tokens are counted, and would have more of them than its request.
   */
  readonly countedBytes: number
}

/** Measures messages that are sound; of others it measures what can be read. Allocates nothing a span. */
export function createWorkMeter(bytes: Uint8Array): WorkMeter {
  const texts = new TextMeter(bytes)
  const view = viewOf(bytes)
  const readers: WireReader[] = []
  /** Of the attribute that is being measured. */
  let token: number = weights.token
  let listed = false
  const counted = new CountedSpan(bytes)
  /** Among the keys of the span. */
  let largestIndex = 0
  /** The attribute is the span's own. */
  let own = false
  let countedBytes = 0
  const readerAt = (level: number, start: number, end: number) => (readers[level] ??= new WireReader()).open(bytes, start, end)

  /** Messages of a span: attributes, and those of events (field 11) and links (13). */
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
    // As they are mapped: of a field that comes twice, the last.
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
    return keyed(keyStart, keyEnd, valueStart, valueEnd) + longKey(keyStart, keyEnd) + value(valueStart, valueEnd, level, false)
  }

  /** The same of one that `isPlainAttribute` knows: key and value lie where it has looked. */
  function plainAttribute(start: number, end: number): number {
    const keyEnd = start + 2 + bytes[start + 1]!
    const valueStart = keyEnd + (bytes[keyEnd + 1]! < 0x80 ? 2 : 3)
    const itself = keyed(start + 2, keyEnd, valueStart, end)
    if (bytes[valueStart] !== textValueTag) return itself
    return itself + text(valueStart + (bytes[valueStart + 1]! < 0x80 ? 2 : 3), end)
  }

  /** Of the attribute itself; what its values cost is set by its key. */
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
    resource: (start, end) => attributesOf(start, end, 1, 0),
    scope(start, end) {
      counted.within(shortScopeName(bytes, start, end))
      return attributesOf(start, end, 3, 0)
    },
    within: scopeName => counted.within(scopeName),
    get isCounted() {
      return counted.isCounted
    },
    get countedBytes() {
      return countedBytes
    },
  }
}

const longKey = (start: number, end: number): number => (end - start > hashedBytes ? weights.longKey : 0)

/** The request that nobody may spend as long on, with what its sender can do about it. */
export const tooMuchWork = (spans: number, maxWork: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already take more than ${maxWork} units of work: an attribute, a value in a list or in a JSON text each take one or more. Send fewer spans in a request, or large values as one text that is no JSON.`,
    { limit: maxWork, spans },
  )
