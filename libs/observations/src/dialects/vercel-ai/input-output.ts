// Prompt and response of the Vercel AI SDK. By default, version 7 sends both as attributes of the semantic conventions (`gen_ai.*`).
import { findSide, type InputOutputRule } from '../../rules/input-output-rule.ts'
import { spanAttributes } from '../../rules/rules.ts'
import { writeAnswer } from '../../rules/spoken-answer.ts'
import type { Content } from '../../span-view/content.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { readMessages } from '../gen-ai/messages.ts'
import { isVercelAi, saying } from './scope.ts'
import './keys.ts'

const inputs = spanAttributes('present', 'ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args')
const texts = spanAttributes('truthy', 'ai.response.text', 'ai.result.text')
const toolCalls = saying('truthy', 'ai.response.toolCalls', 'ai.result.toolCalls')
const otherOutputs = spanAttributes(
  'present',
  'ai.toolCall.result',
  'ai.response.object',
  'ai.result.object',
  'ai.response.toolCalls',
  'ai.result.toolCalls',
)

export const inputOutput: InputOutputRule = {
  name: 'Vercel AI',
  read(span) {
    if (!isVercelAi(span)) return false
    const input = findSide(span, inputs, 'input')
    const text = findSide(span, texts, 'output')
    const tools = text < 0 ? -1 : findSide(span, toolCalls, 'output')
    const output = text >= 0 ? text : findSide(span, otherOutputs, 'output')
    // If the input or the output is missing, the attributes of the semantic conventions (`gen_ai.*`) supply the missing value.
    if (input < 0 || output < 0) readMessages(span)
    if (input >= 0) writeSet(span, input, span.input)
    if (tools >= 0) writeAnswer(span, text, tools)
    else if (output >= 0) writeSet(span, output, span.output)
    return true
  },
}

const writeSet = (span: SpanView, entry: number, into: Content) => into.attribute(span, span.attributes.isSet(entry) ? entry : -1)
