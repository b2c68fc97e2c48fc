// Messages of the semantic conventions in attributes of their own.
import { findSide } from '../../rules/input-output-rule.ts'
import { findFirst, spanAttribute } from '../../rules/rules.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { writeMessages } from './instructions.ts'
import './keys.ts'

const inputMessages = [spanAttribute('gen_ai.input.messages')]
const outputMessages = [spanAttribute('gen_ai.output.messages')]
const toolArguments = [spanAttribute('gen_ai.tool.call.arguments')]
const toolResult = [spanAttribute('gen_ai.tool.call.result')]

/**
 * A tool's arguments are the input of a span without any messages. Beside messages they stay in the metadata.
 */
export function readMessages(span: SpanView): boolean {
  const input = findSide(span, inputMessages, 'input')
  const messages = findSide(span, outputMessages, 'output')
  const output = messages >= 0 ? messages : findSide(span, toolResult, 'output')
  const args = findFirst(span, toolArguments)
  if (input < 0 && output < 0 && args < 0) return false
  if (input >= 0) writeMessages(span, input, span.input)
  else span.input.attribute(span, messages >= 0 ? -1 : args)
  if (args >= 0 && (input >= 0 || messages >= 0)) span.leaveOut(args)
  span.output.attribute(span, output)
  span.trail?.side('input')
  return true
}
