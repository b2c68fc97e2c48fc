// Keys that contain the path of their value: `gen_ai.prompt.0.content`.

export interface KeyPath {
  /**
   * Segments after the prefix. The path is empty if the key has too many segments, or if a segment is one of the `internals`. The rebuilt
   * JSON has no place for these keys.
   */
  readonly path: readonly string[]
  /** Each segment as a number, or -1 if it is not an index. */
  readonly indexes: readonly number[]
}

const maxDepth = 40
/** These names could change an object's prototype in a program that reads the JSON. */
const internals: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const zero = 0x30
const nine = 0x39
/** A segment with more digits counts as a name. Numbers up to 2^53, which has 16 digits, are exact. */
const mostDigits = 16

/** Returns the index that the segment contains, or -1 if the segment is a name. A number with leading zeros counts as a name. */
function indexOf(segment: string): number {
  const first = segment.charCodeAt(0)
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

/** `rest` is the part of a key after its prefix. */
export function keyPath(rest: string): KeyPath {
  const path = rest.split('.')
  if (path.length > maxDepth || path.some(segment => internals.has(segment))) return nowhere
  return { path, indexes: path.map(indexOf) }
}
