// The attribute keys that rules know. A key's position is its number: keys are compared once, as bytes, and never become
// strings. Dialects declare their keys when they are loaded; creating the first key table closes the list.

export interface KeyDeclaration {
  /** Input or output: leaves the metadata when the row shows it, whichever rule moved it there. */
  readonly content?: readonly string[]
  /** Always leaves the metadata, whichever rule wins. */
  readonly moved?: readonly string[]
  readonly kept?: readonly string[]
}

const numbers = new Map<string, number>()
const moved = new Set<string>()
const content = new Set<string>()
let isClosed = false

/** Each key belongs to one dialect. Throws when a key table already exists, because its numbers would differ. */
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

/** All keys, each at the position of its number. */
export function closeKeys(): readonly string[] {
  isClosed = true
  return declaredKeys()
}

export const declaredKeys = (): readonly string[] => [...numbers.keys()]

/** The number of this key in every key table. Throws for an undeclared key, whose rule could never match. */
export function keyNumber(key: string): number {
  const number = numbers.get(key)
  if (number === undefined) throw new Error(`No dialect declares the key ${key}.`)
  return number
}

export const isKnownKey = (key: string): boolean => numbers.has(key)

/** True for keys whose value leaves the metadata when a rule takes it. */
export const leavesMetadata = (key: string): boolean => moved.has(key) || content.has(key)

export const isContentKey = (key: string): boolean => content.has(key)
