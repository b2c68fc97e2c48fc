// Reads tool calls that have the most common form, `[{"id":…,"type":…,"function":{"name":…,"arguments":…}}]`. The texts of such calls are
// already JSON and are copied to the column. The result equals the result of the full parser.
import type { ByteSource, ByteWriter } from '@svc-server/column-store/native'
import { writeAscii } from '../../span-view/json-text.ts'

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c

const fields = ['id', 'type', 'name', 'arguments'] as const
const functionKey = 'function'
const [id, type, name, args] = [0, 1, 2, 3] as const
const maxCalls = 8

/** Reads a list of tool calls. The ranges of the calls' texts are valid until the next list is read. */
export class PlainCalls {
  length = 0
  /** Each call has four texts, in the order of `fields`. Ranges are [start, end). */
  readonly #ranges = new Int32Array(maxCalls * fields.length * 2)
  #source!: ByteSource
  #at = 0
  #end = 0

  /**
   * Reads the list in [start, end). Returns false if the list has a different form than this class supports, or does not end exactly at
   * `end`.
   */
  read(source: ByteSource, start: number, end: number): boolean {
    this.#source = source
    this.#at = start
    this.#end = end
    this.length = 0
    if (!this.#take(0x5b)) return false
    do {
      if (this.length === maxCalls || !this.#readCall()) return false
    } while (this.#take(comma))
    return this.#take(0x5d) && this.#isAtEnd()
  }

  /** JSON text of `{id, arguments, type, index}`. */
  writeCall(out: ByteWriter, call: number): void {
    writeAscii(out, '{"id":"')
    this.#write(out, call, id)
    writeAscii(out, '","arguments":"')
    this.#write(out, call, args)
    writeAscii(out, '","type":"')
    this.#write(out, call, type)
    writeAscii(out, '","index":0}')
  }

  nameStart(call: number): number {
    return this.#ranges[place(call, name)]!
  }

  nameEnd(call: number): number {
    return this.#ranges[place(call, name) + 1]!
  }

  #write(out: ByteWriter, call: number, field: number): void {
    const at = place(call, field)
    out.raw(this.#source.bytes, this.#ranges[at]!, this.#ranges[at + 1]!)
  }

  #readCall(): boolean {
    const call = this.length
    this.#ranges.fill(-1, place(call, 0), place(call + 1, 0))
    if (!this.#readObject(call, true)) return false
    for (let field = 0; field < fields.length; field++) if (this.#ranges[place(call, field)]! < 0) return false
    // An object with the type of a tool result is not a call.
    if (!this.#is(this.#ranges[place(call, type)]!, this.#ranges[place(call, type) + 1]!, functionKey)) return false
    // A call without an id, or with the id of an earlier call, can be a duplicate. The full parser then compares the calls' other fields.
    if (this.#isEmpty(call, id) || this.#isEmpty(call, name)) return false
    for (let other = 0; other < call; other++) if (this.#sameId(call, other)) return false
    this.length++
    return true
  }

  /**
   * If `outside` is true, reads a call, which has the members `id`, `type` and `function`. Otherwise, reads the value of the call's member
   * `function`, which has the members `name` and `arguments`. Returns false if the object has any other member.
   */
  #readObject(call: number, outside: boolean): boolean {
    if (!this.#take(0x7b)) return false
    do {
      if (!this.#readText()) return false
      const [start, end] = [this.#textStart, this.#textEnd]
      if (!this.#take(colon)) return false
      if (outside && this.#is(start, end, functionKey)) {
        if (this.#ranges[place(call, name)]! >= 0 || !this.#readObject(call, false)) return false
        continue
      }
      const field = outside ? (this.#is(start, end, 'id') ? id : this.#is(start, end, 'type') ? type : -1) : this.#functionField(start, end)
      if (field < 0 || this.#ranges[place(call, field)]! >= 0 || !this.#readText()) return false
      if (field === name && this.#escaped) return false
      this.#ranges[place(call, field)] = this.#textStart
      this.#ranges[place(call, field) + 1] = this.#textEnd
    } while (this.#take(comma))
    return this.#take(0x7d)
  }

  #functionField(start: number, end: number): number {
    return this.#is(start, end, 'name') ? name : this.#is(start, end, 'arguments') ? args : -1
  }

  #textStart = 0
  #textEnd = 0
  #escaped = false

  /**
   * Reads a JSON string that can be copied unchanged. Returns false if the string contains `\/` or `\u…`. The full parser parses and
   * serializes each string, and can thus change the spelling of these escapes. A copy would then differ from the full parser's result.
   */
  #readText(): boolean {
    if (!this.#take(quote)) return false
    const { bytes } = this.#source
    this.#textStart = this.#at
    this.#escaped = false
    for (let at = this.#at; at < this.#end; at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        this.#textEnd = at
        this.#at = at + 1
        return true
      }
      if (byte < 0x20) return false
      if (byte !== backslash) continue
      const letter = bytes[++at]
      if (letter === undefined || isEscape[letter] === 0) return false
      this.#escaped = true
    }
    return false
  }

  /** White space is allowed before the byte. */
  #take(byte: number): boolean {
    const { bytes } = this.#source
    let at = this.#at
    while (at < this.#end && (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09)) at++
    this.#at = at
    if (at >= this.#end || bytes[at] !== byte) return false
    this.#at++
    return true
  }

  #isAtEnd(): boolean {
    this.#take(0)
    return this.#at === this.#end
  }

  #is(start: number, end: number, key: string): boolean {
    if (end - start !== key.length) return false
    for (let i = 0; i < key.length; i++) if (this.#source.bytes[start + i] !== key.charCodeAt(i)) return false
    return true
  }

  #isEmpty(call: number, field: number): boolean {
    const at = place(call, field)
    return this.#ranges[at] === this.#ranges[at + 1]
  }

  #sameId(call: number, other: number): boolean {
    const [start, end] = [this.#ranges[place(call, id)]!, this.#ranges[place(call, id) + 1]!]
    const from = this.#ranges[place(other, id)]!
    if (this.#ranges[place(other, id) + 1]! - from !== end - start) return false
    for (let i = start; i < end; i++) if (this.#source.bytes[i] !== this.#source.bytes[from + i - start]) return false
    return true
  }
}

const place = (call: number, field: number): number => (call * fields.length + field) * 2

/** Contains 1 for each byte that is allowed after a backslash. */
const isEscape = new Uint8Array(256)
for (const letter of Buffer.from('"\\bfnrt')) isEscape[letter] = 1
