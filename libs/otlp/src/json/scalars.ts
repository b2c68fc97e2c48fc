// Converts scalars, with one method per kind of field. Each method consumes the JSON value at the reader's position.
import { wireType } from '../wire.ts'
import { Defect } from './defect.ts'
import { hexDigit, unescapeInto } from './escapes.ts'
import { type Field, kinds } from './fields.ts'
import { ExactInteger, type IntegerForm, shortDecimal } from './integers.ts'
import type { JsonReader } from './reader.ts'
import type { ProtoWriter } from './writer.ts'

/**
 * Values that are corrected instead of rejected. The name of an enum value becomes its number, an invalid time counts as missing, and a
 * link with an invalid id is omitted.
 */
export type JsonWarning = 'enum_name' | 'time_invalid' | 'link_id_invalid'

const doubleValueField = 4
const doubleNames = new Set(['NaN', 'Infinity', '-Infinity'])

const quote = 0x22
const object = 0x7b
const array = 0x5b
const trueStart = 0x74
const falseStart = 0x66
/**
 * Maximum length of an integer that is written as two halves. The longest valid form is
 * `{"low":-2147483648,"high":-2147483648,"unsigned":false}`.
 */
const maxHalvesLength = 100

export class Scalars {
  readonly #in: JsonReader
  readonly #out: ProtoWriter
  readonly #warn: (warning: JsonWarning, position: number) => void
  readonly #integer = new ExactInteger()

  constructor(reader: JsonReader, writer: ProtoWriter, warn: (warning: JsonWarning, position: number) => void) {
    this.#in = reader
    this.#out = writer
    this.#warn = warn
  }

  text(field: Field, byte: number): void {
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
    if (!reader.escaped) return out.copy(reader, start, stop)
    const content = out.at
    out.at = unescapeInto(reader, start, stop, out, content)
    out.paddedVarint(lengthAt, out.at - content, content - lengthAt)
  }

  id(field: Field, byte: number): void {
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
    throw new Defect(field.reason, `${field.name} ${this.#shown()} is not text of ${2 * size} hex digits`, reader.start)
  }

  time(field: Field, byte: number): void {
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
      throw new Defect(field.reason, `${field.name} ${this.#shown()} is far outside of any time that is stored`, reader.start)
    this.#warn('time_invalid', reader.start)
  }

  /** Converts counters and flags. Omits a value that is not a 32-bit number, because counters and flags do not justify rejecting a span. */
  unsigned(field: Field, byte: number): void {
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

  /** Converts enum values. OTLP allows only integers. Names are accepted with a warning; unknown names become 0. */
  enum(field: Field, byte: number): void {
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

  bool(field: Field, byte: number): void {
    const reader = this.#in
    this.#take()
    // The first byte identifies the literal.
    let value = byte === trueStart
    if (byte !== trueStart && byte !== falseStart) {
      const text = reader.bytes.toString('latin1', reader.start, Math.min(reader.stop, reader.start + 6))
      if ((text !== 'true' && text !== 'false') || byte === object || byte === array) throw this.#unusable(field, 'true or false')
      value = text === 'true'
    }
    this.#out.ensure(16)
    this.#out.tag(field.number, wireType.varint)
    this.#out.varint(value ? 1 : 0)
  }

  /** A number that is not a 64-bit integer becomes a double. */
  int64(field: Field, byte: number): void {
    const form = this.#number(byte)
    if (form === 'invalid') throw this.#unusable(field, 'a number')
    if (form !== 'integer' || (byte !== object && !this.#integer.toSigned()))
      return this.#writeDouble(doubleValueField, Number(this.#rawText()))
    this.#out.ensure(16)
    this.#out.tag(field.number, wireType.varint)
    this.#out.varint64(this.#integer.low, this.#integer.high)
  }

  double(field: Field, byte: number): void {
    this.#take()
    const short = byte === quote ? Number.NaN : shortDecimal(this.#in.bytes, this.#in.start, this.#in.stop)
    if (!Number.isNaN(short)) return this.#writeDouble(field.number, short)
    const text = this.#rawText()
    const usable = byte !== object && byte !== array && (doubleNames.has(text) || /^[+-]?\.?\d[\d.]*(?:[eE][+-]?\d+)?$/.test(text))
    const value = usable ? Number(text) : Number.NaN
    if (!usable || (Number.isNaN(value) && text !== 'NaN')) throw this.#unusable(field, 'a number')
    this.#writeDouble(field.number, value)
  }

  #writeDouble(number: number, value: number): void {
    this.#out.ensure(16)
    this.#out.tag(number, wireType.fixed64)
    this.#out.double(value)
  }

  base64(field: Field, byte: number): void {
    const reader = this.#in
    if (byte !== quote) throw this.#unusable(field, 'base64 text')
    reader.string()
    const content = Buffer.from(this.#rawText(), 'base64')
    this.#out.ensure(content.length + 16)
    this.#out.tag(field.number, wireType.length)
    this.#out.varint(content.length)
    this.#out.put(content)
  }

  /** Reads an integer from a JSON number, from a JSON string that contains a number, or from an object with two halves (`#halves`). */
  #number(byte: number): IntegerForm {
    const reader = this.#in
    const small = reader.smallInteger()
    if (small >= 0) {
      this.#integer.set(small)
      return 'integer'
    }
    if (byte === object) return this.#halves()
    this.#take()
    if (byte === array || byte === trueStart || byte === falseStart) return 'invalid'
    return this.#integer.read(reader.bytes, reader.start, reader.stop)
  }

  /** Early JavaScript exporters wrote 64-bit integers as `{"low":1,"high":2}`, with signed 32-bit halves. */
  #halves(): IntegerForm {
    this.#take()
    if (this.#in.stop - this.#in.start > maxHalvesLength) return 'invalid'
    const found = /^\{\s*(?=[^}]*"low"\s*:\s*(-?\d{1,10})\s*[,}])(?=[^}]*"high"\s*:\s*(-?\d{1,10})\s*[,}])/.exec(this.#rawText())
    if (!found) return 'invalid'
    this.#integer.low = Number(found[1]) >>> 0
    this.#integer.high = Number(found[2]) >>> 0
    this.#integer.negative = false
    return 'integer'
  }

  /** Consumes a scalar. The range `[start, stop)` of the reader then contains the text of the scalar. */
  #scalar(byte: number): void {
    if (byte === quote) this.#in.string()
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) this.#in.number()
    else this.#in.literal()
  }

  /** Consumes any value. The range `[start, stop)` of the reader then contains the text of the value. */
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

  /** Returns the ASCII text of the value that was read last. */
  #rawText(): string {
    const { bytes, start, stop, escaped } = this.#in
    if (!escaped) return bytes.toString('latin1', start, stop)
    const out = this.#out
    // The text is put into the free space after the output. The next write overwrites this space.
    out.ensure(stop - start)
    return out.bytes.toString('latin1', out.at, unescapeInto(this.#in, start, stop, out, out.at))
  }

  #shown(): string {
    const { bytes, start, stop } = this.#in
    return `"${bytes.toString('utf8', start, Math.min(stop, start + 100))}${stop - start > 100 ? '…' : ''}"`
  }

  #unusable(field: Field, wanted: string): Defect {
    return new Defect('malformed', `${field.name} ${this.#shown()} is not ${wanted}`, this.#in.start)
  }
}
