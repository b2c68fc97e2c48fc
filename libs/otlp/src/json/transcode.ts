// OTLP/JSON to protobuf in one pass over the bytes: everything behind the gateway knows one format, and 64-bit integers never meet a double.
import { maxValueDepth } from '../nesting.ts'
import { type RejectReason, rejectionNote, rejectionNoteField } from '../rejection.ts'
import { varintSize, wireType } from '../wire.ts'
import { hexDigit, unescapeInto } from './escapes.ts'
import { type Field, keyNumber, kinds, type Message, requestMessage } from './fields.ts'
import { ExactInteger } from './integers.ts'
import { invalidJson, JsonReader } from './reader.ts'
import { ProtoWriter } from './writer.ts'

/** What was put right rather than refused: an enum by its name, a time that is none (it counts as missing), a link's id that is none (it is left out). */
export type JsonWarning = 'enum_name' | 'time_invalid' | 'link_id_invalid'

export interface TranscodeOptions {
  readonly onWarning?: (warning: JsonWarning, position: number) => void
}

/**
 * An ExportTraceServiceRequest in OTLP/JSON as protobuf. Unknown fields are ignored, null is absent, of duplicate keys the last counts (lists of
 * duplicate keys are joined). A span with an id or a structure that protobuf cannot express becomes a span that `scanTraceRequest` rejects
 * with the reason; nothing else of the request is touched by it. Invalid UTF-8 passes as it is.
 * @throws AppError body_undecodable for invalid JSON, and for a wrong structure outside of spans, with the byte position.
 */
export const transcodeJsonRequest = (bytes: Uint8Array, options: TranscodeOptions = {}): Uint8Array =>
  new Transcoder(bytes, options).request()

/** A structure that cannot be taken. Thrown for control flow within this file only, so it is no Error and costs no stack. */
class Defect {
  readonly reason: RejectReason
  readonly message: string
  readonly position: number

  constructor(reason: RejectReason, message: string, position: number) {
    this.reason = reason
    this.message = message
    this.position = position
  }
}

const attributeOpening = Buffer.from('{"key":"')
const stringValueOpening = Buffer.from(',"value":{"stringValue":"')

const quote = 0x22
const object = 0x7b
const array = 0x5b
const objectEnd = 0x7d
const arrayEnd = 0x5d
const comma = 0x2c
/** First bytes of null and of true and false. */
const nullStart = 0x6e
const trueStart = 0x74
const falseStart = 0x66

class Transcoder {
  readonly #in: JsonReader
  readonly #out: ProtoWriter
  readonly #integer = new ExactInteger()
  readonly #warn: (warning: JsonWarning, position: number) => void
  /** AnyValues around the current position. */
  #depth = 0

  constructor(bytes: Uint8Array, { onWarning }: TranscodeOptions) {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#in = new JsonReader(body, hasByteOrderMark(body) ? 3 : 0)
    // Protobuf takes about four fifths of the JSON; a body that takes more makes the buffer grow.
    this.#out = new ProtoWriter(Math.ceil(body.length * 0.85) + 1024)
    this.#warn = onWarning ?? (() => undefined)
  }

  request(): Uint8Array {
    try {
      if (this.#in.peek() !== object) throw this.#in.error('an object expected')
      this.#message(requestMessage)
      if (this.#in.peek() !== -1) throw this.#in.error('nothing expected behind the request')
    } catch (error) {
      if (error instanceof Defect) throw invalidJson(error.message, error.position)
      throw error
    }
    return this.#out.bytes.subarray(0, this.#out.at)
  }

  /** The fields of an object; the reader is on its brace. */
  #message(of: Message): void {
    const reader = this.#in
    reader.at++
    if (reader.peek() === objectEnd) {
      reader.at++
      return
    }
    for (;;) {
      reader.key()
      const number = reader.escaped ? this.#escapedKey() : keyNumber(reader.bytes, reader.start, reader.stop)
      const field = number < 0 ? undefined : of.fields[number]
      const byte = reader.peek()
      if (field === undefined || byte === nullStart) reader.skip()
      else this.#field(field, byte)
      const next = reader.peek()
      reader.at++
      if (next === comma) continue
      if (next === objectEnd) return
      reader.at--
      throw reader.error("',' or '}' expected")
    }
  }

  #field(field: Field, byte: number): void {
    switch (field.kind) {
      case kinds.text:
        return this.#text(field, byte)
      case kinds.id:
        return this.#id(field, byte)
      case kinds.time:
        return this.#time(field, byte)
      case kinds.uint32:
      case kinds.fixed32:
        return this.#unsigned(field, byte)
      case kinds.enum:
        return this.#enum(field, byte)
      case kinds.message:
        if (byte !== object) throw this.#wrong(field, 'an object')
        return this.#nested(field.number, field.message!)
      case kinds.list:
        return this.#list(field, byte)
      case kinds.bool:
        return this.#bool(field, byte)
      case kinds.int64:
        return this.#int64(field, byte)
      case kinds.double:
        return this.#double(field, byte)
      default:
        return this.#base64(field, byte)
    }
  }

  #nested(number: number, of: Message): void {
    if (of.isValue && ++this.#depth > maxValueDepth)
      throw new Defect('too_deep', `The span's values are nested deeper than ${maxValueDepth}.`, this.#in.at)
    const start = this.#out.open(number, of.lengthBytes)
    this.#message(of)
    this.#out.close(start, of.lengthBytes)
    if (of.isValue) this.#depth--
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

  /** A span, or what stands in the place of one: whatever is wrong with it is wrong with it alone. */
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
      const note = rejectionNote(error.reason, error.message)
      out.ensure(note.length + 32)
      const start = out.open(field.number, 2)
      out.tag(rejectionNoteField, wireType.length)
      out.varint(note.length)
      out.copy(note, 0, note.length)
      out.close(start, 2)
    }
  }

  /**
   * `{"key":"…","value":{"stringValue":"…"}}` without white space, as every SDK writes two thirds of its attributes: all three lengths are known
   * before the first byte is written. False, with nothing taken, for any other form.
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
    if (reader.escaped || !reader.matches(stringValueOpening)) {
      reader.at = from
      return false
    }
    reader.at += stringValueOpening.length - 1
    reader.string()
    const { bytes, at, start, stop } = reader
    if (bytes[at] !== objectEnd || bytes[at + 1] !== objectEnd) {
      reader.at = from
      return false
    }
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
    out.copy(bytes, keyStart, keyStop)
    out.tag(2, wireType.length)
    const valueAt = out.at
    out.varint(value)
    out.tag(1, wireType.length)
    const textAt = out.at
    out.varint(text)
    if (!reader.escaped) {
      out.copy(bytes, start, stop)
      return true
    }
    // Unescaped text is shorter: the lengths are written again, at the widths they have.
    const content = out.at
    out.at = unescapeInto(bytes, start, stop, out.bytes, content)
    const less = text - (out.at - content)
    out.paddedVarint(attributeAt, attribute - less, varintSize(attribute))
    out.paddedVarint(valueAt, value - less, varintSize(value))
    out.paddedVarint(textAt, text - less, varintSize(text))
    return true
  }

  #text(field: Field, byte: number): void {
    const reader = this.#in
    const out = this.#out
    if (byte === object || byte === array) return reader.skip()
    this.#scalar(byte)
    const { start, stop } = reader
    const length = stop - start
    out.ensure(length + 16)
    out.tag(field.number, wireType.length)
    const lengthAt = out.at
    out.varint(length)
    if (!reader.escaped) return out.copy(reader.bytes, start, stop)
    const content = out.at
    out.at = unescapeInto(reader.bytes, start, stop, out.bytes, content)
    out.paddedVarint(lengthAt, out.at - content, content - lengthAt)
  }

  #id(field: Field, byte: number): void {
    const reader = this.#in
    const out = this.#out
    const { size } = field
    if (byte === quote) {
      reader.string()
      if (reader.start === reader.stop) return
      const { bytes, start, stop } = reader
      if (stop - start === 2 * size) {
        out.ensure(32)
        const rewind = out.at
        out.tag(field.number, wireType.length)
        out.varint(size)
        let bad = 0
        for (let at = start; at < stop; at += 2) {
          const digits = (hexDigit(bytes[at]!) << 4) | hexDigit(bytes[at + 1]!)
          bad |= digits
          out.bytes[out.at++] = digits
        }
        if (bad >= 0) return
        out.at = rewind
      }
    } else this.#take()
    if (!field.reason) return this.#warn('link_id_invalid', reader.start)
    throw new Defect(field.reason, `${field.name} ${this.#shown()} is not text of ${2 * size} hex digits.`, reader.start)
  }

  #time(field: Field, byte: number): void {
    const reader = this.#in
    const out = this.#out
    const form = this.#number(byte)
    if ((form === 'integer' || form === 'fraction') && !this.#integer.negative) {
      out.ensure(16)
      out.tag(field.number, wireType.fixed64)
      out.fixed32(this.#integer.low)
      out.fixed32(this.#integer.high)
      return
    }
    if (form === 'overflow' && field.reason)
      throw new Defect(field.reason, `${field.name} ${this.#shown()} is far outside of any time that is stored.`, reader.start)
    this.#warn('time_invalid', reader.start)
  }

  /** Counters and flags: what is not a 32-bit number is left out, it is not worth a span. */
  #unsigned(field: Field, byte: number): void {
    const form = this.#number(byte)
    const { low, high, negative } = this.#integer
    if (form !== 'integer' || high !== 0 || negative) return
    this.#out.ensure(16)
    if (field.kind === kinds.fixed32) {
      this.#out.tag(field.number, wireType.fixed32)
      this.#out.fixed32(low)
    } else {
      this.#out.tag(field.number, wireType.varint)
      this.#out.varint(low)
    }
  }

  /** OTLP allows integers only; names are understood and reported, unknown ones are 0. */
  #enum(field: Field, byte: number): void {
    const form = this.#number(byte)
    const { low, high, negative } = this.#integer
    let value = low
    if (form !== 'integer' || high !== 0 || negative || low > 0x7fffffff) {
      this.#warn('enum_name', this.#in.start)
      value = Math.max(0, field.names.indexOf(this.#in.bytes.toString('latin1', this.#in.start, this.#in.stop)))
    }
    this.#out.ensure(16)
    this.#out.tag(field.number, wireType.varint)
    this.#out.varint(value)
  }

  #bool(field: Field, byte: number): void {
    const reader = this.#in
    this.#take()
    const text = reader.bytes.toString('latin1', reader.start, Math.min(reader.stop, reader.start + 6))
    if ((text !== 'true' && text !== 'false') || byte === object || byte === array) throw this.#unusable(field, 'true or false')
    this.#out.ensure(16)
    this.#out.tag(field.number, wireType.varint)
    this.#out.varint(text === 'true' ? 1 : 0)
  }

  /** Exact; a number that is no 64-bit integer is kept as the double it is. */
  #int64(field: Field, byte: number): void {
    const form = this.#number(byte)
    if (form === 'invalid') throw this.#unusable(field, 'a number')
    if (form !== 'integer' || (byte !== object && !this.#integer.toSigned()))
      return this.#writeDouble(doubleValueField, Number(this.#rawText()))
    this.#out.ensure(16)
    this.#out.tag(field.number, wireType.varint)
    this.#out.varint64(this.#integer.low, this.#integer.high)
  }

  #double(field: Field, byte: number): void {
    this.#take()
    const text = this.#rawText()
    const usable = byte !== object && byte !== array && (doubleNames.has(text) || /^[+-]?\.?\d[\d.]*(?:[eE][+-]?\d+)?$/.test(text))
    const value = usable ? Number(text) : Number.NaN
    if (!usable || (Number.isNaN(value) && text !== 'NaN')) throw this.#unusable(field, 'a number')
    this.#writeDouble(field.number, value)
  }

  #writeDouble(number: number, value: number): void {
    this.#out.ensure(16)
    this.#out.tag(number, wireType.fixed64)
    this.#out.at = this.#out.bytes.writeDoubleLE(value, this.#out.at)
  }

  #base64(field: Field, byte: number): void {
    const reader = this.#in
    if (byte !== quote) throw this.#unusable(field, 'base64 text')
    reader.string()
    const content = Buffer.from(this.#rawText(), 'base64')
    this.#out.ensure(content.length + 16)
    this.#out.tag(field.number, wireType.length)
    this.#out.varint(content.length)
    this.#out.copy(content, 0, content.length)
  }

  /** Takes a number, or a string that holds one, into the exact integer. */
  #number(byte: number): ReturnType<ExactInteger['read']> {
    const reader = this.#in
    if (byte === object) return this.#halves()
    this.#take()
    if (byte === array || byte === trueStart || byte === falseStart) return 'invalid'
    return this.#integer.read(reader.bytes, reader.start, reader.stop)
  }

  /** `{"low":1,"high":2}`, the form of 64-bit integers that early JavaScript exporters sent: signed 32-bit halves. */
  #halves(): ReturnType<ExactInteger['read']> {
    this.#take()
    const found = /^\{\s*(?=[^}]*"low"\s*:\s*(-?\d{1,10})\s*[,}])(?=[^}]*"high"\s*:\s*(-?\d{1,10})\s*[,}])/.exec(this.#rawText())
    if (!found) return 'invalid'
    this.#integer.low = Number(found[1]) >>> 0
    this.#integer.high = Number(found[2]) >>> 0
    this.#integer.negative = false
    return 'integer'
  }

  /** Takes a string, number or literal; its text is then [start, stop). */
  #scalar(byte: number): void {
    if (byte === quote) this.#in.string()
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) this.#in.number()
    else this.#in.literal()
  }

  /** Takes any value, [start, stop) is its text. */
  #take(): void {
    const reader = this.#in
    const byte = reader.peek()
    if (byte !== object && byte !== array) return this.#scalar(byte)
    const start = reader.at
    reader.skip()
    reader.start = start
    reader.stop = reader.at
    reader.escaped = false
  }

  /** The last scalar as ASCII text, bounded: a number needs no more. */
  #rawText(): string {
    const { bytes, start, stop, escaped } = this.#in
    if (!escaped) return bytes.toString('latin1', start, stop)
    const text = Buffer.allocUnsafe(stop - start)
    return text.toString('latin1', 0, unescapeInto(bytes, start, stop, text, 0))
  }

  #escapedKey(): number {
    const { bytes, start, stop } = this.#in
    const key = Buffer.allocUnsafe(stop - start)
    return keyNumber(key, 0, unescapeInto(bytes, start, stop, key, 0))
  }

  #shown(): string {
    const { bytes, start, stop } = this.#in
    return `"${bytes.toString('utf8', start, Math.min(stop, start + 100))}${stop - start > 100 ? '…' : ''}"`
  }

  #wrong(field: Field, wanted: string): Defect {
    return new Defect('malformed', `${field.name} is not ${wanted}`, this.#in.at)
  }

  #unusable(field: Field, wanted: string): Defect {
    return new Defect('malformed', `${field.name} ${this.#shown()} is not ${wanted}`, this.#in.start)
  }
}

const doubleValueField = 4
const doubleNames = new Set(['NaN', 'Infinity', '-Infinity'])

const hasByteOrderMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
