// Whose tokens are counted by us: of spans that name a model, and in which no attribute says a number of
// tokens. The gateway charges them and the writer counts them by this one answer, from the bytes alone: what
// only looks like usage (`{}`, the usage of an event, a key that has the word in it) would else be counted for
// nothing.
import { WireReader, wireType } from './wire.ts'
import { counting, modelling } from './work-keys.ts'

/** Fields of an AnyValue. */
const textField = 1
const boolField = 2
const intField = 3
const doubleField = 4

/** Its spans always have usage of their own: never is there anything to count. */
const vercelScope = 'ai'

const zero = 0x30
const nine = 0x39

/** One for all spans of some bytes: filled again for each. */
export class CountedSpan {
  readonly #bytes: Uint8Array
  readonly #reader = new WireReader()
  #isWithinVercel = false
  #namesModel = false
  #saysUsage = false

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Of all spans until the next call. */
  within(scopeName: string): void {
    this.#isWithinVercel = scopeName === vercelScope
  }

  begin(): void {
    this.#namesModel = false
    this.#saysUsage = false
  }

  /** An attribute of the span itself: what its key means, and its AnyValue. */
  attribute(meaning: number, valueStart: number, valueEnd: number): void {
    if ((meaning & modelling) !== 0) this.#namesModel = true
    if ((meaning & counting) !== 0 && !this.#saysUsage) this.#saysUsage = this.#isNumber(valueStart, valueEnd)
  }

  get isCounted(): boolean {
    return this.#namesModel && !this.#saysUsage && !this.#isWithinVercel
  }

  /** A number, or a text with a digit: JSON of usage has one unless it is empty. */
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

/** The scope's name where it may be one that matters here. */
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
