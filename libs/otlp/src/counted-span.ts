// Finds the spans whose tokens the server must count: spans with a model's name and without a token count. The writer counts these
// tokens, and the gateway includes this work in the load of a request. Gateway and writer must find the same spans, so the result depends
// only on the bytes. Some attributes look like a token count but are none: an empty usage (`{}`), the usage in a span event, and an
// attribute whose key merely contains the word "usage". A span with such attributes still has no token count, so this module finds it.
import { WireReader, wireType } from './wire.ts'
import { counting, modeling } from './work-keys.ts'

/** Fields of an AnyValue. */
const textField = 1
const boolField = 2
const intField = 3
const doubleField = 4

/** The scope of the Vercel AI SDK. Spans of this scope always report their usage, so the writer does not count their tokens. */
const vercelScope = 'ai'

const zero = 0x30
const nine = 0x39

/** One instance is reused for all spans of a buffer. */
export class CountedSpan {
  readonly #bytes: Uint8Array
  readonly #reader = new WireReader()
  #isWithinVercel = false
  #namesModel = false
  #saysUsage = false

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Sets the scope of the spans that follow. */
  within(scopeName: string): void {
    this.#isWithinVercel = scopeName === vercelScope
  }

  begin(): void {
    this.#namesModel = false
    this.#saysUsage = false
  }

  /** Reads an attribute of the span itself. `meaning` tells whether the key of the attribute can name a model or report usage. */
  attribute(meaning: number, valueStart: number, valueEnd: number): void {
    if ((meaning & modeling) !== 0) this.#namesModel = true
    if ((meaning & counting) !== 0 && !this.#saysUsage) this.#saysUsage = this.#isNumber(valueStart, valueEnd)
  }

  get isCounted(): boolean {
    return this.#namesModel && !this.#saysUsage && !this.#isWithinVercel
  }

  /** Returns true for a number. Also returns true for a text with a digit, because a text can contain usage as JSON. */
  #isNumber(start: number, end: number): boolean {
    const reader = this.#reader.open(this.#bytes, start, end)
    while (reader.advance() === 1) {
      const { field, type } = reader
      if (type === wireType.varint && (field === boolField || field === intField)) return true
      if (type === wireType.fixed64 && field === doubleField) return true
      if (type === wireType.length && field === textField && this.#hasDigit(reader.start, reader.stop)) return true
    }
    return false
  }

  #hasDigit(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.#bytes[at]! >= zero && this.#bytes[at]! <= nine) return true
    return false
  }
}

/** Returns the scope's name, or an empty text if the name is longer than `vercelScope`. */
export function shortScopeName(bytes: Uint8Array, start: number, end: number): string {
  const reader = new WireReader().open(bytes, start, end)
  let name = ''
  while (reader.advance() === 1) {
    if (reader.field !== 1 || reader.type !== wireType.length) continue
    const length = reader.stop - reader.start
    name = length > vercelScope.length ? '' : Buffer.from(bytes.buffer, bytes.byteOffset + reader.start, length).toString('latin1')
  }
  return name
}
