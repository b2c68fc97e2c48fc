// Caches parsed tool definitions by JSON text: clients repeat them with every model call, and they are often the longest data.
import { maxNameLength } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText, parseJson } from '../span-view/json-text.ts'

export interface ToolDefinition {
  readonly name: string
  /** JSON text of `{description, parameters}`; the parameters are JSON text within it. */
  readonly json: string
}

export type NamedPart = JsonObject & { readonly name: string }

/** Bounds the cache, because a client may send any number of texts of any length. */
const longestKept = 1 << 16
const mostKept = 1 << 20

/** Keeps only one of each length among texts too long for the runtime to hash: a Map would compare a text with all of them. */
const known = new Map<string | number, readonly [text: string, value: unknown]>()
let kept = 0

/** What the rules derive from a tool, for tools of kept texts. */
interface Derived {
  parts?: readonly NamedPart[]
  definitions?: readonly ToolDefinition[]
  json?: string | undefined
}

const derived = new WeakMap<object, Derived>()

/** The derived values of a cached tool; undefined for a tool that is not cached. */
export const derivedOf = (tool: JsonObject): Derived | undefined => derived.get(tool)

/** `jsonText` of a tool, created only once for a cached tool. */
export function toolJson(tool: JsonObject): string | undefined {
  const kept = derived.get(tool)
  if (kept === undefined) return jsonText(tool)
  kept.json ??= jsonText(tool)
  return kept.json
}

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
  for (const tool of Array.isArray(value) ? value : [value]) if (isJsonObject(tool)) derived.set(tool, {})
  return value
}
