// What a request costs whoever maps it, known from its bytes before anything is made of them. Bytes of rows do not say it: a megabyte of one text is
// copied in a millisecond, a megabyte of tiny values below `metadata` takes three seconds. Receiver and readers hold the same sum.
import { AppError } from '@svc-server/errors'
import { WireReader, wireType } from './wire.ts'

/** Units of work that a request may take. A unit is about a microsecond of the encoding thread in the worst shape of its kind. */
export const defaultMaxWork = 3_000_000

/** Below it nothing is counted: the worst such request is done in about a second, and the usual one must not pay for its measurement. */
const uncountedWorkBytes = 256 * 1024

/** Units by kind, from measured worst shapes: libs/observations/test/work.nightly.test.ts. */
const weights = {
  span: 8,
  attribute: 2,
  /** One whose place is in its key, and each part of that: it is read, sorted and put together with others. */
  placedAttribute: 3,
  part: 1,
  /** An element of a list. */
  element: 1,
  /** An entry of a map: it becomes a name of its own. */
  entry: 2,
  /** A value in a JSON text. */
  token: 2,
  /** The same below a key whose members become rows of their own: names are learnt one by one. */
  namedToken: 6,
} as const

/** Control characters become six bytes where a text stands in JSON: so many of them are a unit. */
const controlsOfUnit = 4

/** The brand in front of a key may be an alias that only readers know: what counts is the word. */
const namingWord = /metadata|_details/
/** Texts that are cut at their commas, JSON or not. */
const listedWord = /tags/
const placedPrefixes = [
  'gen_ai.prompt.',
  'gen_ai.completion.',
  'gen_ai.usage.',
  'llm.input_messages.',
  'llm.output_messages.',
  'llm.token_count.',
  'llm.tools.',
]
const isPlaced = (key: string): boolean => placedPrefixes.some(prefix => key.startsWith(prefix))

function dotsOf(key: string): number {
  let count = 0
  for (let at = key.indexOf('.'); at >= 0; at = key.indexOf('.', at + 1)) count++
  return count
}

const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b

/** A string that looks like JSON and is none costs as much as so many values. */
const refusedJson = 2

/** What a key means stands in its first bytes. */
const meaningBytes = 256

/** Deeper than anything that is accepted: what is unsound is refused for that, and must not take the stack. */
const deepestLevel = 512

export interface WorkMeter {
  /** Of a span in `bytes[start, end)`. */
  span(start: number, end: number): number
  /** Of the attributes of a resource and of a scope, once for all their spans. */
  resource(start: number, end: number): number
  scope(start: number, end: number): number
}

/** Measures messages that are sound; of others it measures what can be read. Allocates nothing a span. Null: too small to be worth it. */
export function createWorkMeter(bytes: Uint8Array): WorkMeter | null {
  if (bytes.length <= uncountedWorkBytes) return null
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const readers: WireReader[] = []
  /** Of the attribute that is being measured. */
  let token: number = weights.token
  let listed = false
  const readerAt = (level: number, start: number, end: number) => (readers[level] ??= new WireReader()).open(bytes, start, end)

  /** Messages of a span: attributes, and those of events (field 11) and links (13). */
  function attributesOf(start: number, end: number, field: number, level: number): number {
    const reader = readerAt(level, start, end)
    let work = 0
    while (reader.advance() === 1) {
      if (reader.type !== wireType.length) continue
      if (reader.field === field) work += attribute(reader.start, reader.stop, level + 1)
      else if (level === 0 && field === 9 && reader.field === 11) work += weights.entry + attributesOf(reader.start, reader.stop, 3, 1)
      else if (level === 0 && field === 9 && reader.field === 13) work += weights.entry + attributesOf(reader.start, reader.stop, 4, 1)
    }
    return work
  }

  function attribute(start: number, end: number, level: number): number {
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
    const key = buffer.toString('latin1', keyStart, Math.min(keyEnd, keyStart + meaningBytes))
    token = namingWord.test(key) ? weights.namedToken : weights.token
    listed = listedWord.test(key)
    const own = isPlaced(key) ? weights.placedAttribute + weights.part * dotsOf(key) : weights.attribute
    return own + value(valueStart, valueEnd, level, false)
  }

  function value(start: number, end: number, level: number, inside: boolean): number {
    if (level > deepestLevel) return 0
    const reader = readerAt(level, start, end)
    let work = 0
    while (reader.advance() === 1) {
      if (reader.type !== wireType.length) continue
      if (reader.field === 1) work += inside ? controls(reader.start, reader.stop) : text(reader.start, reader.stop)
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
        if (entry.field === 1) work += controls(entry.start, entry.stop)
        else if (entry.field === 2) work += value(entry.start, entry.stop, level + 2, true)
      }
    }
    return work
  }

  function text(start: number, end: number): number {
    const first = firstOf(start, end)
    if (first === quote || listed) return token * separators(start, end) + controls(start, end)
    return first === brace || first === bracket ? token * tokens(start, end) : controls(start, end)
  }

  function firstOf(start: number, end: number): number {
    let at = start
    while (at < end && isSpace(bytes[at]!)) at++
    return at < end ? bytes[at]! : 0
  }

  /** Values of a JSON text: every one has a comma or an opening bracket before it. Of strings only those count that may be JSON again. */
  function tokens(start: number, end: number): number {
    let count = 0
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        const closing = endOfString(at + 1, end)
        const first = firstOf(at + 1, closing)
        if (first === brace || first === bracket || first === backslash) count += refusedJson + separators(at + 1, closing)
        at = closing
      } else if (byte === comma || byte === bracket || byte === brace) count++
    }
    return count
  }

  function separators(start: number, end: number): number {
    let count = 0
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (byte === comma || byte === bracket || byte === brace) count++
    }
    return count
  }

  /** Position of the quote that closes a string, or `end`. */
  function endOfString(from: number, end: number): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!
      if (byte === backslash) at++
      else if (byte === quote) return at
    }
    return end
  }

  function controls(start: number, end: number): number {
    let count = 0
    for (let at = start; at < end; at++) count += controlTable[bytes[at]!]!
    return Math.floor(count / controlsOfUnit)
  }

  return {
    span: (start, end) => weights.span + attributesOf(start, end, 9, 0),
    resource: (start, end) => attributesOf(start, end, 1, 0),
    scope: (start, end) => attributesOf(start, end, 3, 0),
  }
}

/** Tab, line feed, carriage return and blank: escaped as two bytes, or not at all. */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d

/** 1 for control characters: every byte of a large request is looked up, so without a branch. */
const controlTable = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 && !isSpace(byte) ? 1 : 0))

/** The request that nobody may spend as long on, with what its sender can do about it. */
export const tooMuchWork = (spans: number, maxWork: number): AppError =>
  new AppError(
    'body_too_large',
    `The first ${spans} spans of this request already take more than ${maxWork} units of work: an attribute, a value in a list or in a JSON text each take one or more. Send fewer spans in a request, or large values as one text that is no JSON.`,
    { limit: maxWork, spans },
  )
