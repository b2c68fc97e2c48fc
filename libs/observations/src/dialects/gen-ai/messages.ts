// Messages in separate attributes.
import { findSide } from '../../rules/input-output-rule.ts'
import { findFirst, spanAttribute, spanAttributes } from '../../rules/rules.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { writeMessages } from './instructions.ts'
import './keys.ts'

const inputMessages = [spanAttribute('gen_ai.input.messages')]
const outputMessages = [spanAttribute('gen_ai.output.messages')]
const toolArguments = [spanAttribute('gen_ai.tool.call.arguments')]
const toolResult = [spanAttribute('gen_ai.tool.call.result')]
/** A retrieval and a search in a memory each have a query (`queries`) and results (`documents`). */
const queries = spanAttributes(
  'truthy',
  'gen_ai.retrieval.query.text',
  'gen_ai.retrieval.query',
  'gen_ai.memory.query.text',
  'gen_ai.memory.query',
)
const documents = spanAttributes('truthy', 'gen_ai.retrieval.documents', 'gen_ai.memory.records')

/** If the span has no messages, a tool's arguments are the input. If the span has messages, the arguments stay in the metadata. */
export function readMessages(span: SpanView): boolean {
  const input = findSide(span, inputMessages, 'input')
  const messages = findSide(span, outputMessages, 'output')
  const result = messages >= 0 ? messages : findSide(span, toolResult, 'output')
  const output = result >= 0 ? result : findSide(span, documents, 'output')
  const args = findFirst(span, toolArguments)
  const query = input >= 0 || args >= 0 ? -1 : findFirst(span, queries)
  if (input < 0 && output < 0 && args < 0 && query < 0) return false
  if (input >= 0) writeMessages(span, input, span.input)
  else span.input.attribute(span, query >= 0 ? query : messages >= 0 ? -1 : args)
  if (args >= 0 && (input >= 0 || messages >= 0)) span.leaveOut(args)
  span.output.attribute(span, output)
  span.explanation?.side('input')
  return true
}
