// Converts an attribute to a string. The functions `isOpening` and `mayHoldMembers` look only at an attribute's type and first byte.
// With these functions, a rule can skip most attributes without JSON, and need not create strings for them.

import { valueKind } from '../span-view/any-value.ts'
import { wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

const openingBrace = 0x7b
const openingBracket = 0x5b

export function isOpening({ attributes, source }: SpanView, entry: number): boolean {
  return attributes.kinds[entry] === valueKind.text && source.bytes[attributes.starts[entry]!] === openingBrace
}

/** True for maps and lists of the wire format, and for texts that can be JSON objects or lists. */
export function mayHoldMembers(span: SpanView, entry: number): boolean {
  const { kinds, starts } = span.attributes
  const kind = kinds[entry]
  if (kind === valueKind.map || kind === valueKind.array) return true
  return isOpening(span, entry) || (kind === valueKind.text && span.source.bytes[starts[entry]!] === openingBracket)
}

export function attributeText(span: SpanView, entry: number): string {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.text) return wireText(span.source, starts[entry]!, ends[entry]!)
  const text = renderText(span.source, span.attributes.value(entry))
  return wireText(text, 0, text.length)
}
