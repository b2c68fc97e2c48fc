// An answer whose text and tool calls stand in attributes of their own.
import { Content } from '../span-view/content.ts'
import { parseJson } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

const held = new Content()

/** Text and tool calls of one answer as the message that they are. */
export function writeAnswer(span: SpanView, text: number, tools: number): void {
  held.attribute(span, text)
  const content = held.text()
  held.attribute(span, tools)
  const calls = held.text()
  // Valid JSON goes in as it was written.
  const list = parseJson(calls) === undefined ? JSON.stringify(calls) : calls
  span.output.string(`{"role":"assistant","content":${JSON.stringify(content)},"tool_calls":${list}}`)
}
