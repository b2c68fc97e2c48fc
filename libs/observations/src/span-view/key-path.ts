// Where a value stands in the lists and objects that its key spells: `gen_ai.prompt.0.content`.

export interface KeyPath {
  /** The segments behind the prefix. None: the key is no place for a value, being too deep or named like an object's internals. */
  readonly path: readonly string[]
  /** The segments that are indexes as numbers, the others as -1. */
  readonly indexes: readonly number[]
}

const maxDepth = 40
/** Names of an object's internals: harmless here, not in what reads the JSON. */
const internals: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const zero = 0x30
const nine = 0x39
/** Digits of an index: it is exact as a number. */
const mostDigits = 16

/** The number that a segment is, written without zeros before it; -1: a name. */
function indexOf(segment: string): number {
  const first = segment.charCodeAt(0)
  // Of an empty segment it is no number.
  if (!(first >= zero && first <= nine)) return -1
  if (segment.length === 1) return first - zero
  if (first === zero || segment.length > mostDigits) return -1
  for (let at = 1; at < segment.length; at++) {
    const digit = segment.charCodeAt(at)
    if (digit < zero || digit > nine) return -1
  }
  return Number(segment)
}

const nowhere: KeyPath = { path: [], indexes: [] }

/** Of the part of a key that is behind its prefix. */
export function keyPath(rest: string): KeyPath {
  const path = rest.split('.')
  if (path.length > maxDepth || path.some(segment => internals.has(segment))) return nowhere
  return { path, indexes: path.map(indexOf) }
}
