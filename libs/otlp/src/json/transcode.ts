// Converts OTLP/JSON to protobuf in one pass, so that all later code handles one format. 64-bit integers never become doubles.
import { maxContainers } from '../nesting.ts'
import { rejectionNote, rejectionNoteField } from '../rejection.ts'
import { varintSize, wireType } from '../wire.ts'
import { Defect } from './defect.ts'
import { unescapeInto } from './escapes.ts'
import { type Field, isAroundSpans, keyNumber, kinds, type Message, otherKeyNumber, requestMessage } from './fields.ts'
import { invalidJson, JsonReader, Literal } from './reader.ts'
import { type JsonWarning, Scalars } from './scalars.ts'
import { ProtoWriter } from './writer.ts'

export interface TranscodeOptions {
  readonly onWarning?: (warning: JsonWarning, position: number) => void
  /** Called for each unknown key of a message that encloses spans. */
  readonly onUnknown?: (name: string) => void
}

/**
 * Converts an ExportTraceServiceRequest from OTLP/JSON to protobuf. Keys can also be protobuf's names (`resource_spans`) or names from
 * before OTLP 1.0. Unknown keys are ignored, and null is treated as absent. If an object has a key several times, the last value is used,
 * but lists are joined. If protobuf cannot express a span, the output has an invalid span in its place. The invalid span contains the
 * reason. `scanTraceRequest` rejects this span with the reason, and accepts the other spans. Invalid UTF-8 and raw control characters are
 * copied unchanged. Escapes are not checked in ignored values, and not after the error in an invalid span.
 * @throws AppError body_undecodable if the JSON is invalid, or if its structure is wrong outside of spans. The error has the byte position.
 */
export const transcodeJsonRequest = (bytes: Uint8Array, options: TranscodeOptions = {}): Uint8Array =>
  new Transcoder(bytes, options).request()

const attributeOpening = new Literal('{"key":"')
const stringValueOpening = new Literal(',"value":{"stringValue":"')

const object = 0x7b
const array = 0x5b
const objectEnd = 0x7d
const arrayEnd = 0x5d
const comma = 0x2c
/** First byte of null. */
const nullStart = 0x6e

class Transcoder {
  readonly #in: JsonReader
  readonly #out: ProtoWriter
  readonly #scalars: Scalars
  /** Number of lists and maps around the current position. */
  #depth = 0

  readonly #onUnknown: (name: string) => void

  constructor(bytes: Uint8Array, { onWarning, onUnknown }: TranscodeOptions) {
    this.#onUnknown = onUnknown ?? (() => undefined)
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#in = new JsonReader(body, hasByteOrderMark(body) ? 3 : 0)
    // Protobuf usually takes about four fifths of the bytes of JSON.
    this.#out = new ProtoWriter(Math.ceil(body.length * 0.85) + 1024)
    this.#scalars = new Scalars(this.#in, this.#out, onWarning ?? (() => undefined))
  }

  request(): Uint8Array {
    try {
      if (this.#in.peek() !== object) throw this.#in.error('an object expected')
      this.#message(requestMessage)
      if (this.#in.peek() !== -1) throw this.#in.error('nothing expected after the request')
    } catch (error) {
      if (error instanceof Defect) throw invalidJson(error.message, error.position)
      throw error
    }
    return this.#out.bytes.subarray(0, this.#out.at)
  }

  /** The reader must be at the opening brace. */
  #message(of: Message): void {
    const reader = this.#in
    reader.at++
    if (reader.peek() === objectEnd) {
      reader.at++
      return
    }
    for (;;) {
      reader.key()
      const { start, stop } = reader
      const number = reader.escaped ? this.#escapedKey() : keyNumber(reader.bytes, start, stop)
      const field = number < 0 ? this.#otherField(of, start, stop) : of.fields[number]
      const byte = reader.peek()
      if (field === undefined || byte === nullStart) {
        if (field === undefined && isAroundSpans(of)) this.#onUnknown(nameAt(reader.bytes, start, stop))
        reader.skip()
      } else this.#field(field, byte)
      const next = reader.peek()
      reader.at++
      if (next === comma) continue
      if (next === objectEnd) return
      reader.at--
      throw reader.error("',' or '}' expected")
    }
  }

  #otherField(of: Message, start: number, stop: number): Field | undefined {
    const number = otherKeyNumber(this.#in.bytes, start, stop)
    return number < 0 ? undefined : of.fields[number]
  }

  #field(field: Field, byte: number): void {
    switch (field.kind) {
      case kinds.text:
        return this.#scalars.text(field, byte)
      case kinds.id:
        return this.#scalars.id(field, byte)
      case kinds.time:
        return this.#scalars.time(field, byte)
      case kinds.uint32:
      case kinds.fixed32:
        return this.#scalars.unsigned(field, byte)
      case kinds.enum:
        return this.#scalars.enum(field, byte)
      case kinds.message:
        if (byte !== object) throw this.#wrong(field, 'an object')
        return this.#nested(field.number, field.message!)
      case kinds.list:
        return this.#list(field, byte)
      case kinds.bool:
        return this.#scalars.bool(field, byte)
      case kinds.int64:
        return this.#scalars.int64(field, byte)
      case kinds.double:
        return this.#scalars.double(field, byte)
      default:
        return this.#scalars.base64(field, byte)
    }
  }

  #nested(number: number, of: Message): void {
    if (of.isContainer && ++this.#depth > maxContainers)
      throw new Defect('too_deep', `values are nested deeper than ${maxContainers}`, this.#in.at)
    const start = this.#out.open(number, of.lengthBytes)
    this.#message(of)
    this.#out.close(start, of.lengthBytes)
    if (of.isContainer) this.#depth--
  }

  #list(field: Field, byte: number): void {
    const reader = this.#in
    if (byte !== array) throw this.#wrong(field, 'a list')
    reader.at++
    const of = field.message!
    let next = reader.peek()
    if (next === arrayEnd) {
      reader.at++
      return
    }
    for (;;) {
      if (of.isSpan) this.#span(field, next)
      else if (next === object) {
        if (!of.isAttribute || !this.#plainAttribute(field.number)) this.#nested(field.number, of)
      } else if (next === nullStart) reader.skip()
      else throw this.#wrong(field, 'a list of objects')
      next = reader.peek()
      reader.at++
      if (next === arrayEnd) return
      if (next !== comma) {
        reader.at--
        throw reader.error("',' or ']' expected")
      }
      next = reader.peek()
    }
  }

  /** Converts an element of a list of spans. The element can be any JSON value. An error in the element rejects only this span. */
  #span(field: Field, byte: number): void {
    const reader = this.#in
    const out = this.#out
    const from = reader.at
    const rewind = out.at
    try {
      if (byte !== object) throw this.#wrong(field, 'a list of objects')
      this.#nested(field.number, field.message!)
    } catch (error) {
      if (!(error instanceof Defect)) throw error
      this.#depth = 0
      reader.at = from
      reader.skip()
      out.at = rewind
      const note = rejectionNote(error.reason, `${error.message}.`)
      out.ensure(note.length + 32)
      const start = out.open(field.number, 2)
      out.tag(rejectionNoteField, wireType.length)
      out.varint(note.length)
      out.put(note)
      out.close(start, 2)
    }
  }

  /**
   * The fast path for `{"key":"…","value":{"stringValue":"…"}}` without white space. Two thirds of all attributes have this form. For
   * any other form, returns false and consumes nothing.
   */
  #plainAttribute(number: number): boolean {
    const reader = this.#in
    const out = this.#out
    const from = reader.at
    if (!reader.matches(attributeOpening)) return false
    reader.at += attributeOpening.length - 1
    reader.string()
    const keyStart = reader.start
    const keyStop = reader.stop
    if (reader.escaped || !reader.matches(stringValueOpening)) return this.#notPlain(from)
    reader.at += stringValueOpening.length - 1
    reader.string()
    const { bytes, at, start, stop } = reader
    if (bytes[at] !== objectEnd || bytes[at + 1] !== objectEnd) return this.#notPlain(from)
    reader.at = at + 2
    const key = keyStop - keyStart
    const text = stop - start
    const value = 1 + varintSize(text) + text
    const attribute = 1 + varintSize(key) + key + 1 + varintSize(value) + value
    out.ensure(attribute + 16)
    out.tag(number, wireType.length)
    const attributeAt = out.at
    out.varint(attribute)
    out.tag(1, wireType.length)
    out.varint(key)
    out.copy(reader, keyStart, keyStop)
    out.tag(2, wireType.length)
    const valueAt = out.at
    out.varint(value)
    out.tag(1, wireType.length)
    const textAt = out.at
    out.varint(text)
    if (!reader.escaped) {
      out.copy(reader, start, stop)
      return true
    }
    // Unescaping makes the text shorter. The transcoder therefore overwrites the lengths of the attribute, the value and the text. Each new
    // length is padded to the number of bytes of the old length, so the bytes after the length stay in place.
    const content = out.at
    out.at = unescapeInto(reader, start, stop, out, content)
    const less = text - (out.at - content)
    out.paddedVarint(attributeAt, attribute - less, varintSize(attribute))
    out.paddedVarint(valueAt, value - less, varintSize(value))
    out.paddedVarint(textAt, text - less, varintSize(text))
    return true
  }

  #notPlain(from: number): false {
    this.#in.at = from
    return false
  }

  #escapedKey(): number {
    const { start, stop } = this.#in
    const out = this.#out
    // Unescapes the key into the free space after the output. The next write overwrites this space.
    out.ensure(stop - start)
    return keyNumber(out.bytes, out.at, unescapeInto(this.#in, start, stop, out, out.at))
  }

  #wrong(field: Field, wanted: string): Defect {
    return new Defect('malformed', `${field.name} is not ${wanted}`, this.#in.at)
  }
}

const longestShown = 60
const nameAt = (bytes: Uint8Array, start: number, stop: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(stop - start, longestShown)).toString()

const hasByteOrderMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
