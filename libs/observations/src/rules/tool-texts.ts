// Definitions of tools by their JSON text: clients send the same ones with every call of a model, and they are often longer than all else.
import { parseJson } from '../span-view/json-text.ts'

/** A client may send any number of texts, of any length. */
const longestKept = 1 << 16
const mostKept = 1 << 20

const known = new Map<string, unknown>()
let kept = 0

/** As `parseJson`, once for a text that comes again. The value belongs to all spans: nobody changes it. */
export function parseTools(text: string): unknown {
  const found = known.get(text)
  if (found !== undefined || known.has(text)) return found
  const value = parseJson(text)
  if (text.length > longestKept) return value
  kept += text.length
  if (kept > mostKept) {
    known.clear()
    kept = text.length
  }
  known.set(text, value)
  return value
}
