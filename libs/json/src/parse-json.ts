// Parses untrusted JSON exactly as written (RFC 8259). V8's JSON.parse remembers the order of the keys in earlier objects. When a new
// object begins with the same keys as an earlier object, V8 expects the same next key. V8 therefore compares the next key of the new object
// (the new key) with the next key of the earlier object (the earlier key). If the new key has escapes and the earlier key has n characters,
// V8 compares only the first n bytes of the new key's text, in which the escapes are not decoded. For example, after one client has sent
// `{"z":1,"\\":0}`, JSON.parse turns `{"z":1,"\t":2}` from any client into `{"z":1,"\\":2}`, until the process ends (nodejs/node#63785,
// ADR 0038). Only keys with a backslash are affected.
import { createHash, randomUUID } from 'node:crypto'
import { hasLongName, maxNameLength } from './long-names.ts'
import { objectOf } from './object-of.ts'

/**
 * Returns the replacement for a value. The function is called for inner values before outer values. `source` is the original text of a
 * scalar. The function must return objects and lists unchanged, and must not read the keys of objects. A key can be a substitute (`Names`).
 */
export type Revive = (value: unknown, source: string | undefined) => unknown

/** TypeScript does not declare this JavaScript feature yet. */
interface RawJson {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
}
export const { rawJSON, isRawJSON } = JSON as unknown as RawJson

/** The error for valid JSON that this server refuses to parse. */
export class NameTooLong extends SyntaxError {
  override readonly name = 'NameTooLong'
}

/**
 * Handles repeated keys and the order of keys in the same way as JSON.parse does. Throws SyntaxError, or NameTooLong for a member name of
 * more than `maxNameLength` characters.
 */
export function parseJson(text: string, revive?: Revive): unknown {
  if (hasLongName(text)) throw new NameTooLong(`The name of a member has more than ${maxNameLength} characters.`)
  return parseStoredJson(text, revive)
}

/** Parses JSON from the product's own stores. Names can have any length. */
export function parseStoredJson(text: string, revive?: Revive): unknown {
  const value = parse(text, revive)
  return text.includes('\\') && hasBackslashKey(value) ? parseRenamed(text, revive) : value
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

function parse(text: string, revive: Revive | undefined): unknown {
  if (revive === undefined) return JSON.parse(text)
  const reviver: Reviver = (_key, value, { source }) => revive(value, source)
  // TypeScript does not declare the reviver's third argument yet.
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown)
}

type JsonObject = Record<string, unknown>

const isContainer = (value: unknown): value is JsonObject | unknown[] => typeof value === 'object' && value !== null

// These functions are not recursive, because a text can be nested more deeply than the stack allows.

function hasBackslashKey(value: unknown): boolean {
  const open: (JsonObject | unknown[])[] = isContainer(value) ? [value] : []
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      for (let i = 0; i < one.length; i++) if (isContainer(one[i])) open.push(one[i] as JsonObject)
    } else {
      for (const key in one) {
        if (key.includes('\\')) return true
        const member = one[key]
        if (isContainer(member)) open.push(member)
      }
    }
  }
  return false
}

/** Replaces keys that need escapes, parses the JSON, and then restores these keys. The JSON must be valid. */
function parseRenamed(text: string, revive: Revive | undefined): unknown {
  const names = new Names(markBesides(text))
  const whole: unknown[] = [parse(withNames(text, names), revive)]
  const open: (JsonObject | unknown[])[] = [whole]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const members = one as JsonObject
    for (const key in members) {
      const member = members[key]
      if (!isContainer(member)) continue
      const right = Array.isArray(member) ? member : names.restored(member)
      if (right !== member) members[key] = right
      open.push(right)
    }
  }
  return whole[0]
}

/** Returns a mark that does not occur in the text. */
function markBesides(text: string): string {
  for (;;) {
    const mark = `k${randomUUID().slice(0, 8)}.`
    if (!text.includes(mark)) return mark
  }
}

/** Maximum length of a key that is stored unchanged. A longer key is stored as a digest. */
const longKey = 1000

/** Assigns a substitute to each key that contains an escape. A substitute contains no escape. */
class Names {
  readonly #mark: string
  readonly #keyOf = new Map<string, string>()
  readonly #nameOf = new Map<string, string>()
  readonly #nameOfDigest = new Map<string, string>()
  /** Maps each written form of a key to the substitute. A key can have several written forms, such as `"\n"` and `"\u000a"`. */
  readonly #written = new Map<string, string>()

  constructor(mark: string) {
    this.#mark = mark
  }

  instead(written: string): string {
    const known = this.#written.get(written)
    if (known !== undefined) return known
    const key = JSON.parse(written) as string
    const bare = `"${key}"`
    const instead = JSON.stringify(key) === bare && !key.includes(this.#mark) ? bare : `"${this.#name(key)}"`
    if (written.length <= longKey) this.#written.set(written, instead)
    return instead
  }

  #name(key: string): string {
    const [names, of] =
      key.length <= longKey ? [this.#nameOf, key] : [this.#nameOfDigest, createHash('sha256').update(key, 'utf16le').digest('hex')]
    const known = names.get(of)
    if (known !== undefined) return known
    const name = this.#mark + this.#keyOf.size.toString(36)
    names.set(of, name)
    this.#keyOf.set(name, key)
    return name
  }

  /**
   * Gives the members their original keys and their original order. Returns the same object if it needs no change, and otherwise a copy.
   */
  restored(object: JsonObject): JsonObject {
    let isRight = true
    for (const name in object) isRight &&= !name.startsWith(this.#mark)
    if (isRight) return object
    const members: [string, unknown][] = []
    for (const name in object) members.push([this.#keyOf.get(name) ?? name, object[name]])
    return objectOf(members)
  }
}

/** Replaces every key that contains an escape. */
function withNames(text: string, names: Names): string {
  const pieces: string[] = []
  let copied = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const start = at
    at = behindString(text, start)
    if (!isKey(text, at)) continue
    const written = text.slice(start, at)
    if (!written.includes('\\')) continue
    pieces.push(text.slice(copied, start), names.instead(written))
    copied = at
  }
  pieces.push(text.slice(copied))
  return pieces.join('')
}

/** Returns the position after the string that begins at `quote`. */
function behindString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); ; at = text.indexOf('"', at + 1)) {
    let unescaped = at
    while (text.charCodeAt(unescaped - 1) === backslash) unescaped--
    if ((at - unescaped) % 2 === 0) return at + 1
  }
}

const backslash = 0x5c
const colon = 0x3a
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** True if a colon follows the string. */
function isKey(text: string, behind: number): boolean {
  let at = behind
  while (isSpace(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === colon
}
