// Text of an attribute as a string: for rules that read JSON, and only where a cheap test has said that there
// is some.

import { wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

export function attributeText(span: SpanView, entry: number): string {
  const text = renderText(span.source, span.attributes.value(entry))
  return wireText(text, 0, text.length)
}
