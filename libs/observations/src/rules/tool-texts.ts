// Caches parsed tool definitions. Clients repeat the definitions with every call, and the definitions are often the longest data of a span.
import { maxNameLength } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText, parseJson } from '../span-view/json-text.ts'

export interface ToolDefinition {
  readonly name: string
  /** JSON text of `{description, parameters}`; the parameters are JSON text within it. */
  readonly json: string
}

export type NamedPart = JsonObject & { readonly name: string }

/** A client can send any number of texts of any length, so the cache has limits. */
const longestKept = 1 << 16
const mostKept = 1 << 20

/**
 * For a text of more than `maxNameLength` characters, V8 uses the length in place of a hash. As keys of the map, such texts of equal length
 * would all be compared with each other. The key of such a text is therefore its length, and the cache keeps only one such text of each
 * length.
 */
const known = new Map<string | number, readonly [text: string, value: unknown]>()
let kept = 0

/** Values that the rules have derived from a cached tool. All spans with an equal text share these values. */
interface Derived {
  parts?: readonly NamedPart[]
  definitions?: readonly ToolDefinition[]
  json?: string | undefined
}

const derived = new WeakMap<object, Derived>()

/** Returns undefined for a tool that is not cached. */
export const derivedOf = (tool: JsonObject): Derived | undefined => derived.get(tool)

/** Like `jsonText`. If the tool is cached, its text is created only once. */
export function toolJson(tool: JsonObject): string | undefined {
  const kept = derived.get(tool)
  if (kept === undefined) return jsonText(tool)
  kept.json ??= jsonText(tool)
  return kept.json
}

/** Like `parseJson`, but parses a repeated text only once. All spans with this text share the value, so callers must not modify it. */
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
