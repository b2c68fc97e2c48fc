// Reads the JSON texts in attributes, and the members of these texts.

import type { ByteSource } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import { CompactJson } from '../span-view/compact-json.ts'
import { isJsonObject, parseJson, wireText } from '../span-view/json-text.ts'
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { attributeText } from './attribute-text.ts'

/** Returns undefined if the attribute is absent, empty, or invalid. */
export function jsonAttribute(span: SpanView, entry: number): unknown {
  if (!span.attributes.isTruthy(entry)) return undefined
  const { parsed } = span
  const known = parsed.get(entry)
  if (known !== undefined || parsed.has(entry)) return known
  const value = parseJson(attributeText(span, entry))
  parsed.set(entry, value)
  return value
}

/** Caches the parsed output, so the output must not change afterwards. */
export function jsonOutput(span: SpanView): unknown {
  const { source, start, end } = span.output
  span.parsedOutput ??= { value: parseJson(wireText(source, start, end)) }
  return span.parsedOutput.value
}

/** Clients' code often turns a missing value into the text `null` or `undefined`. */
const nothing = /^\s*(?:null|undefined)\s*$/
const longestNothing = 32
const space = 0x20

export const saysNothing = (text: string): boolean => text.length <= longestNothing && nothing.test(text)

export function isNullText({ attributes, source }: SpanView, entry: number): boolean {
  const { kinds, starts, ends } = attributes
  if (entry < 0 || kinds[entry] !== valueKind.text || ends[entry]! - starts[entry]! > longestNothing) return false
  const first = source.bytes[starts[entry]!]!
  // Creating a string is expensive. Most texts are therefore excluded by their first byte, before a string is created.
  if (first > space && first !== 0x6e && first !== 0x75 && first < 0x80) return false
  return saysNothing(wireText(source, starts[entry]!, ends[entry]!))
}

export const jsonOf = (span: SpanView, key: string): unknown => jsonAttribute(span, span.own.get(keyNumber(key)))

/** Returns undefined if the object has no such path. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const name of path) inner = isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  return inner
}

const json = new CompactJson()
const brace = 0x7b

/**
 * Like `memberOf(jsonAttribute(…), …)`. But if the attribute is compact JSON, this function parses the member alone, not the whole
 * attribute.
 */
export function memberOfAttribute(span: SpanView, entry: number, ...path: readonly string[]): unknown {
  const { attributes, source, parsed } = span
  if (entry < 0 || attributes.kinds[entry] !== valueKind.text || parsed.has(entry)) return memberOf(jsonAttribute(span, entry), ...path)
  const found = memberIn(source, attributes.starts[entry]!, attributes.ends[entry]!, path)
  return found === notCompact ? memberOf(jsonAttribute(span, entry), ...path) : found
}

/** Like `memberOf(jsonOutput(…), …)`. But if the output is compact JSON, this function parses the member alone, not the whole output. */
export function memberOfOutput(span: SpanView, ...path: readonly string[]): unknown {
  const { source, start, end } = span.output
  const found = span.parsedOutput === undefined ? memberIn(source, start, end, path) : notCompact
  return found === notCompact ? memberOf(jsonOutput(span), ...path) : found
}

const notCompact = Symbol()

function memberIn(source: ByteSource, start: number, end: number, path: readonly string[]): unknown {
  let from = start
  let to = end
  for (const [depth, name] of path.entries()) {
    if (source.bytes[from] !== brace || !json.read(source.bytes, from, to)) return depth === 0 ? notCompact : undefined
    const member = json.find(name)
    if (member < 0) return undefined
    from = json.start(member)
    to = json.end(member)
  }
  return parseJson(wireText(source, from, to))
}

/** Returns the member `key` of the attribute's JSON if the member is an object. Parses the JSON only if its bytes contain the key. */
export function jsonMember(span: SpanView, entry: number, key: string): Readonly<Record<string, unknown>> | undefined {
  if (entry < 0) return undefined
  if (!attributeText(span, entry).includes(key)) return undefined
  const parsed = jsonAttribute(span, entry)
  const member = isJsonObject(parsed) ? parsed[key] : undefined
  return isJsonObject(member) ? member : undefined
}
