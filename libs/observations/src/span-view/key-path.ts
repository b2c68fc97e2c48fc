// Parses keys that contain the path of their value in lists and objects: `gen_ai.prompt.0.content`.

export interface KeyPath {
  /**
   * The segments of the key after the prefix. The list is empty for a key that cannot have a value: the key has too many segments or
   * contains one of the `internals`.
   */
  readonly path: readonly string[]
  /** Each segment as a number if it is an index, otherwise -1. */
  readonly indexes: readonly number[]
}

const maxDepth = 40
/** Rejected property names, which could change an object's prototype in a program that reads the JSON. */
const internals: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const zero = 0x30
const nine = 0x39
/** Maximum number of digits of an index that is always exact as a number. */
const mostDigits = 16

/** Returns the number of a segment that has no leading zeros; -1 for a name. */
function indexOf(segment: string): number {
  const first = segment.charCodeAt(0)
  // An empty segment is not a number.
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

/** Parses the part of a key after its prefix as a path. */
export function keyPath(rest: string): KeyPath {
  const path = rest.split('.')
  if (path.length > maxDepth || path.some(segment => internals.has(segment))) return nowhere
  return { path, indexes: path.map(indexOf) }
}
