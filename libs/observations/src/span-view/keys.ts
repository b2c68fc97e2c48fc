// The attribute keys that rules know. A key's place among them is its number: keys are compared once, as
// bytes, and never become strings. Dialects declare their keys when they are loaded; the first key table
// closes the list.

export interface KeyDeclaration {
  /** What went in or came out: it leaves the metadata where that is in the row, whichever rule took it there. */
  readonly content?: readonly string[]
  /** A rule takes the value out of the metadata, in any case: whichever rule wins. */
  readonly moved?: readonly string[]
  readonly kept?: readonly string[]
}

const numbers = new Map<string, number>()
const moved = new Set<string>()
const content = new Set<string>()
let isClosed = false

/** Each key belongs to one dialect. Throws where a table exists already: its numbers would not be these. */
export function declareKeys(declared: KeyDeclaration): KeyDeclaration {
  if (isClosed) throw new Error('Keys are declared before the first key table is made.')
  for (const key of [...(declared.content ?? []), ...(declared.moved ?? []), ...(declared.kept ?? [])]) {
    if (numbers.has(key)) throw new Error(`The key ${key} is declared twice.`)
    numbers.set(key, numbers.size)
  }
  for (const key of declared.moved ?? []) moved.add(key)
  for (const key of declared.content ?? []) content.add(key)
  return declared
}

/** All keys, each in the place of its number. */
export function closeKeys(): readonly string[] {
  isClosed = true
  return declaredKeys()
}

export const declaredKeys = (): readonly string[] => [...numbers.keys()]

/**
 * The number under which every key table knows this key. Throws for one that no dialect declares: a rule that
 * could never find anything.
 */
export function keyNumber(key: string): number {
  const number = numbers.get(key)
  if (number === undefined) throw new Error(`No dialect declares the key ${key}.`)
  return number
}

export const isKnownKey = (key: string): boolean => numbers.has(key)

/** True for keys whose value a rule takes out of the metadata. */
export const leavesMetadata = (key: string): boolean => moved.has(key) || content.has(key)

export const isContentKey = (key: string): boolean => content.has(key)
