// The list of attribute keys that the rules use. A key's position in the list is its number. A span's key is compared once, as bytes, and
// never becomes a string. Dialects declare their keys when they are loaded. After the first key table has been created, no key can be added
// to the list.

export interface KeyDeclaration {
  /**
   * Keys for input or output. A content key is removed from the metadata if any rule has moved its value into the row's input or output.
   */
  readonly content?: readonly string[]
  /** Keys that are always removed from the metadata, even if no rule uses their value. */
  readonly moved?: readonly string[]
  readonly kept?: readonly string[]
}

const numbers = new Map<string, number>()
const moved = new Set<string>()
const content = new Set<string>()
let isClosed = false

/** Declares the keys of a dialect. Throws if a key table already exists, because its numbers would differ. */
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

/** Returns all keys in the order of their numbers, and closes the list. */
export function closeKeys(): readonly string[] {
  isClosed = true
  return declaredKeys()
}

export const declaredKeys = (): readonly string[] => [...numbers.keys()]

/** Returns the number that this key has in every key table. Throws for an undeclared key, because a rule for it could never match. */
export function keyNumber(key: string): number {
  const number = numbers.get(key)
  if (number === undefined) throw new Error(`No dialect declares the key ${key}.`)
  return number
}

export const isKnownKey = (key: string): boolean => numbers.has(key)

/** True if the key is removed from the metadata when a rule uses its value. */
export const leavesMetadata = (key: string): boolean => moved.has(key) || content.has(key)

export const isContentKey = (key: string): boolean => content.has(key)
