// Writes the output of a response whose text and tool calls are in separate attributes.
import { Content } from '../span-view/content.ts'
import { parseJson } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

const held = new Content()

export function writeAnswer(span: SpanView, text: number, tools: number): void {
  held.attribute(span, text)
  const content = held.text()
  held.attribute(span, tools)
  const calls = held.text()
  // Valid JSON is copied unchanged.
  const list = parseJson(calls) === undefined ? JSON.stringify(calls) : calls
  span.output.string(`{"role":"assistant","content":${JSON.stringify(content)},"tool_calls":${list}}`)
}
