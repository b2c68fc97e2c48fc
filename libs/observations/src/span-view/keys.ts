// The attribute keys that the rules use. The number of a key is its position in this list. Keys are compared as bytes and never become
// strings. Dialects must declare their keys before the first key table (key-table.ts) is created, because the key table closes this list.

export interface KeyDeclaration {
  /** Keys of input or output. Such a key is removed from the metadata if its value has become the row's input or output. */
  readonly content?: readonly string[]
  /** Always removed from the metadata, even if no rule uses the value. */
  readonly moved?: readonly string[]
  readonly kept?: readonly string[]
}

const numbers = new Map<string, number>()
const moved = new Set<string>()
const content = new Set<string>()
let isClosed = false

/** Throws if a key table already exists, because this table may already have given the numbers of the declared keys to other keys. */
export function declareKeys(declared: KeyDeclaration): KeyDeclaration {
  if (isClosed) throw new Error('Keys must be declared before the first key table is made.')
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

/** Returns the key's number in every key table. Throws for an undeclared key, because a rule for it could never match. */
export function keyNumber(key: string): number {
  const number = numbers.get(key)
  if (number === undefined) throw new Error(`No dialect declares the key ${key}.`)
  return number
}

export const isKnownKey = (key: string): boolean => numbers.has(key)

/** True if the mapping removes the key from the metadata when a rule uses the key's value. */
export const leavesMetadata = (key: string): boolean => moved.has(key) || content.has(key)

export const isContentKey = (key: string): boolean => content.has(key)
