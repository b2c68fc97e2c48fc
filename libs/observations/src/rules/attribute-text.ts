// An attribute's text as a string, for rules that parse JSON after a cheap test has found some.

import { valueKind } from '../span-view/any-value.ts'
import { wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

const openingBrace = 0x7b

/** Whether the text may be a JSON object. */
export function isOpening({ attributes, source }: SpanView, entry: number): boolean {
  return attributes.kinds[entry] === valueKind.text && source.bytes[attributes.starts[entry]!] === openingBrace
}

export function attributeText(span: SpanView, entry: number): string {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.text) return wireText(span.source, starts[entry]!, ends[entry]!)
  const text = renderText(span.source, span.attributes.value(entry))
  return wireText(text, 0, text.length)
}
