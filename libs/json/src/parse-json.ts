// JSON of others, read as it is written (RFC 8259). JSON.parse alone is not enough: V8 compares a key with the one that followed last time in an object
// of the same shape, and a key with escapes by as many bytes of its text as it has characters. `{"z":1,"\\":0}` from anybody makes `{"z":1,"\t":2}` of
// everybody be read as `{"z":1,"\\":2}` until the process ends (nodejs/node#63785, ADR 0038). What is read wrong is always a key that has a backslash.
import { createHash, randomUUID } from 'node:crypto'
import { hasLongName, maxNameLength } from './long-names.ts'
import { objectOf } from './object-of.ts'

/**
 * What stands for a value; it is asked from the inside to the outside. `source`: a scalar's text as it was written. Unlike the function that JSON.parse
 * takes, it is told no keys; it gives objects and lists back as they are, and does not look at their keys.
 */
export type Revive = (value: unknown, source: string | undefined) => unknown

/** JSON, and none that is read here. */
export class NameTooLong extends SyntaxError {
  override readonly name = 'NameTooLong'
}

/**
 * The value of a JSON text, as JSON.parse gives it: the last of equal keys counts, and objects have their keys in the order of the text, but for whole
 * numbers. Throws SyntaxError; NameTooLong where a member's name has more than `maxNameLength` characters.
 */
export function parseJson(text: string, revive?: Revive): unknown {
  if (hasLongName(text)) throw new NameTooLong(`The name of a member has more than ${maxNameLength} characters.`)
  return parseStoredJson(text, revive)
}

/** The same of what a store of ours has, whatever the names. */
export function parseStoredJson(text: string, revive?: Revive): unknown {
  const value = parse(text, revive)
  return text.includes('\\') && hasBackslashKey(value) ? parseRenamed(text, revive) : value
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

function parse(text: string, revive: Revive | undefined): unknown {
  if (revive === undefined) return JSON.parse(text)
  const reviver: Reviver = (_key, value, { source }) => revive(value, source)
  // The third parameter is in this runtime and not in the compiler's library yet.
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown)
}

type JsonObject = Record<string, unknown>

const isContainer = (value: unknown): value is JsonObject | unknown[] => typeof value === 'object' && value !== null

// Both walks do without recursion: text may nest deeper than there is stack.

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

/** Reads it with other names for keys that need escapes, and restores them in the result. The text is known to be JSON. */
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

/** What is nowhere in the text. */
function markBesides(text: string): string {
  for (;;) {
    const mark = `k${randomUUID().slice(0, 8)}.`
    if (!text.includes(mark)) return mark
  }
}

/** Longer ones are not kept whole. */
const longKey = 1000

/** A name without escapes for each key that cannot be written without. */
class Names {
  readonly #mark: string
  readonly #keyOf = new Map<string, string>()
  readonly #nameOf = new Map<string, string>()
  readonly #nameOfDigest = new Map<string, string>()
  /** Of each key as it is written, with quotes and escapes, what stands there instead: a key can be written in several ways. */
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

  /** The object, or one like it with the keys that are meant, in the same order. */
  restored(object: JsonObject): JsonObject {
    let isRight = true
    for (const name in object) isRight &&= !name.startsWith(this.#mark)
    if (isRight) return object
    const members: [string, unknown][] = []
    for (const name in object) members.push([this.#keyOf.get(name) ?? name, object[name]])
    return objectOf(members)
  }
}

/** The text with every key that has an escape by its name. */
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

/** Where the string ends that begins with the quote at this position. */
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

/** Whether a colon follows the string that ends here. */
function isKey(text: string, behind: number): boolean {
  let at = behind
  while (isSpace(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === colon
}
