// Text of an attribute as a string: for rules that read JSON, and only where a cheap test has said that there is some.
import { renderText } from '../columns/column-writer.ts'
import type { SpanView } from '../span-view.ts'
import { wireText } from './json-text.ts'

export function attributeText(span: SpanView, entry: number): string {
  const text = renderText(span.source, span.attributes.value(entry))
  return wireText(text, 0, text.length)
}
