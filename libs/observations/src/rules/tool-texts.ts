// Definitions of tools by their JSON text: clients send the same ones with every call of a model, and they are often longer than all else.
import { maxNameLength } from '@svc-server/json'
import { parseJson } from '../span-view/json-text.ts'

/** A client may send any number of texts, of any length. */
const longestKept = 1 << 16
const mostKept = 1 << 20

/** Of those that are longer than the runtime hashes one of each length: a Map would compare a text with all of them. */
const known = new Map<string | number, readonly [text: string, value: unknown]>()
let kept = 0

/** As `parseJson`, once for a text that comes again. The value belongs to all spans: nobody changes it. */
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
