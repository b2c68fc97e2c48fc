// Attributes that hold JSON, for the rules that have to look inside.
import { renderText } from '../columns/column-writer.ts'
import type { SpanView } from '../span-view.ts'
import { isJsonObject, parseJson, wireText } from './json-text.ts'
import type { KnownKey } from './keys.ts'
import { keyNumber } from './keys.ts'

/** The JSON value of an attribute, or undefined when it is absent, empty or no JSON. */
export function jsonAttribute(span: SpanView, entry: number): unknown {
  if (!span.attributes.isTruthy(entry)) return undefined
  const text = renderText(span.source, span.attributes.value(entry))
  return parseJson(wireText(text, 0, text.length))
}

export const jsonOf = (span: SpanView, key: KnownKey): unknown => jsonAttribute(span, span.own.get(keyNumber(key)))

/** The member of a JSON object by path, undefined where the path ends early. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const name of path) inner = isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  return inner
}

/** JSON text, or undefined for what is nested deeper than can be written again. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
