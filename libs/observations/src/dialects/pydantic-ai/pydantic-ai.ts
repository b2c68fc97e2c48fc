// Pydantic AI, and Pipecat, which shares its plain names.
import { findSide, type InputOutputRule, pair, scopeIs } from '../../rules/input-output-rule.ts'
import { writeMessages } from '../../rules/messages.ts'
import { spanAttribute } from '../../rules/rules.ts'

export const plainInputOutput = pair('Pydantic, Pipecat', { input: ['input'], output: ['output'] })

const isPydanticAi = scopeIs('pydantic-ai')
const messages = [spanAttribute('pydantic_ai.all_messages')]
const result = [spanAttribute('final_result')]

export const pydanticAiInputOutput: InputOutputRule = {
  name: 'Pydantic AI',
  read(span) {
    if (!isPydanticAi(span)) return false
    const input = findSide(span, messages, 'input')
    const output = findSide(span, result, 'output')
    if (input < 0 && output < 0) return false
    if (input >= 0) writeMessages(span, input, span.input)
    else span.input.clear()
    span.output.attribute(span, output)
    span.trail?.side('input')
    return true
  },
}

export const pydanticAiTool = pair('Pydantic AI tool', { input: ['tool_arguments'], output: ['tool_response'] })
