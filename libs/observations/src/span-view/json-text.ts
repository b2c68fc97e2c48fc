// Writes wire values as JSON text, and parses JSON numbers without losing digits.
import type { ByteSource, ByteWriter } from '@svc-server/column-store/native'
import { isTextDeeperThan, maxTextLevels, type Revive, parseJson as readJson } from '@svc-server/json'
import { emptyValue, exactInt, forEachElement, forEachEntry, readAnyValue, valueKind, type WireValue } from './any-value.ts'

const quote = 0x22
const backslash = 0x5c

/** These methods work on any Uint8Array. Creating a Buffer for the bytes would take twice as long as creating the text. */
const { utf8Slice, base64Slice } = Buffer.prototype as unknown as Record<
  'utf8Slice' | 'base64Slice',
  (this: Uint8Array, start: number, end: number) => string
>

export const wireText = ({ bytes }: ByteSource, start: number, end: number): string => utf8Slice.call(bytes, start, end)

export const base64Text = ({ bytes }: ByteSource, start: number, end: number): string => base64Slice.call(bytes, start, end)

/** ASCII only. */
export function writeAscii(out: ByteWriter, text: string): void {
  out.reserve(text.length)
  const { bytes, length } = out
  for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i)
  out.length = length + text.length
}

/** A text that needs no escapes is copied without being decoded. */
export function writeJsonString(out: ByteWriter, source: ByteSource, start: number, end: number): void {
  const { bytes } = source
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte < 0x20 || byte === quote || byte === backslash) {
      out.chars(JSON.stringify(wireText(source, start, end)))
      return
    }
  }
  out.byte(quote)
  out.raw(bytes, start, end)
  out.byte(quote)
}

/** The element that is being written at each level of nesting. */
const elements: WireValue[] = []

/** NaN and the infinities become texts, bytes become base64, and missing values become null. */
export function writeJson(out: ByteWriter, source: ByteSource, value: WireValue, depth = 0): void {
  switch (value.kind) {
    case valueKind.text:
      writeJsonString(out, source, value.start, value.end)
      return
    case valueKind.bool:
      writeAscii(out, value.number === 1 ? 'true' : 'false')
      return
    case valueKind.int:
      if (Number.isSafeInteger(value.number)) out.decimal(value.number)
      else writeAscii(out, exactInt(source.bytes, value))
      return
    case valueKind.double:
      if (Number.isFinite(value.number)) out.decimal(value.number)
      else writeAscii(out, `"${value.number}"`)
      return
    case valueKind.bytes:
      writeAscii(out, `"${base64Text(source, value.start, value.end)}"`)
      return
    case valueKind.array:
      writeJsonArray(out, source, value, depth)
      return
    case valueKind.map:
      writeJsonObject(out, source, value, depth)
      return
    default:
      writeAscii(out, 'null')
  }
}

function writeJsonArray(out: ByteWriter, source: ByteSource, value: WireValue, depth: number): void {
  const element = (elements[depth] ??= emptyValue())
  let separator = 0x5b
  forEachElement(source.bytes, value, (start, end) => {
    out.byte(separator)
    separator = 0x2c
    readAnyValue(source, start, end, element)
    writeJson(out, source, element, depth + 1)
  })
  if (separator === 0x5b) out.byte(0x5b)
  out.byte(0x5d)
}

function writeJsonObject(out: ByteWriter, source: ByteSource, value: WireValue, depth: number): void {
  const entry = (elements[depth] ??= emptyValue())
  let separator = 0x7b
  forEachEntry(source.bytes, value, (keyStart, keyEnd, start, end) => {
    out.byte(separator)
    separator = 0x2c
    writeJsonString(out, source, keyStart, keyEnd)
    out.byte(0x3a)
    readAnyValue(source, start, end, entry)
    writeJson(out, source, entry, depth + 1)
  })
  if (separator === 0x7b) out.byte(0x7b)
  out.byte(0x7d)
}

interface RawJson {
  readonly rawJSON: string
}
// This runtime supports these functions, but the compiler's library does not declare them yet.
const json = JSON as typeof JSON & { rawJSON(text: string): RawJson; isRawJSON(value: unknown): value is RawJson }

const exactNumbers: Revive = (value, source) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value

/** Matches every text that `inexact` matches, and also other texts. This quick check is four times as fast as `inexact`. */
const pointed = /\d(?:[.eE]|\d{15})/
/** Matches a number that could change if it were parsed as a double. A match within a JSON string costs time, but changes no result. */
const inexact = /(?:^|[:[,])\s*-?(?:\d{16}|\d+[.eE])/
/**
 * Matches negative zero, and the numbers that `inexact` matches, except short decimal fractions whose last digit is 1 to 9. Parsing never
 * changes such a fraction.
 */
const doubtful = /(?:^|[:[,])\s*(-0(?![\d.eE])|-?(?!\d{1,9}\.\d{0,5}[1-9](?![\d.eE]))(?:\d{16}|\d+[.eE])[\d.eE+-]*)/g

/** True if parsing numbers as doubles changes no number. For such a text, `JSON.parse` is sufficient, and is ten times as fast. */
function isExact(text: string): boolean {
  if (!pointed.test(text) || !inexact.test(text)) return true
  doubtful.lastIndex = 0
  for (let found = doubtful.exec(text); found !== null; found = doubtful.exec(text)) {
    if (String(Number(found[1])) !== found[1]) return false
  }
  return true
}

const opening = /^[ \t\n\r]*[[{"]/
const scalar = /^[ \t\n\r]*(?:-?\d[\d.eE+-]*|true|false|null)[ \t\n\r]*$/

/**
 * Returns undefined if the text is invalid, or nested deeper than `maxTextLevels`. A number stays text if parsing it as a double would
 * change it (see `numberText`).
 */
export function parseJson(text: string): unknown {
  // Texts that cannot be JSON are excluded first. Otherwise, the parser would throw an exception for each such text. An exception costs as
  // much as parsing a hundred bytes, and a list can contain a million such texts.
  if (!(opening.test(text) || scalar.test(text)) || isTextDeeperThan(text, maxTextLevels)) return undefined
  try {
    return readJson(text, isExact(text) ? undefined : exactNumbers)
  } catch {
    return undefined
  }
}

/** Returns the digits as they were written; undefined for other values. */
export const numberText = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : json.isRawJSON(value) ? value.rawJSON : undefined

/** Accepts texts, booleans, and numbers. Returns undefined for other values. */
export const scalarText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'boolean' ? String(value) : numberText(value)

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value)

/** Reads scalar members of a JSON object as texts. The JSON is parsed at most once. */
export class MemberTexts {
  #object: JsonObject | null | undefined

  /** Forgets the parsed object. Must be called before `get` reads members of a different text. */
  clear(): void {
    this.#object = undefined
  }

  /** `textOf` is called only when the first member is read. */
  get(name: string, textOf: () => string): string | undefined {
    if (this.#object === undefined) {
      const value = parseJson(textOf())
      this.#object = isJsonObject(value) ? value : null
    }
    return this.#object !== null && Object.hasOwn(this.#object, name) ? scalarText(this.#object[name]) : undefined
  }
}

/** Returns undefined if the value is nested too deeply to serialize. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
