// Caches parsed tool definitions by JSON text: clients repeat them with every model call, and they are often the longest data.
import { maxNameLength } from '@svc-server/json'
import { parseJson } from '../span-view/json-text.ts'

/** Bounds the cache, because a client may send any number of texts of any length. */
const longestKept = 1 << 16
const mostKept = 1 << 20

/** Keeps only one of each length among texts too long for the runtime to hash: a Map would compare a text with all of them. */
const known = new Map<string | number, readonly [text: string, value: unknown]>()
let kept = 0

/** Like `parseJson`, but parses a repeated text once. All spans share the value, so callers must not modify it. */
export function parseTools(text: string): unknown {
  const key = text.length > maxNameLength ? text.length : text
  const found = known.get(key)
  if (found?.[0] === text) return found[1]
  const value = parseJson(text)
  if (text.length > longestKept) return value
  kept += text.length
  if (kept > mostKept) {
    known.clear()
    kept = text.length
  }
  known.set(key, [text, value])
  return value
}
