// The dialect of Pydantic AI.
import type { Dialect } from '../../rules/dialect.ts'
import { findSide, type InputOutputRule, pair, scopeIs } from '../../rules/input-output-rule.ts'
import { parametersIn } from '../../rules/model-parameters.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { writeMessages } from '../gen-ai/instructions.ts'
import { pydanticAiKeys } from './keys.ts'
import { requestTools } from './tools.ts'

const isPydanticAi = scopeIs('pydantic-ai')
const messages = [spanAttribute('pydantic_ai.all_messages')]
const result = [spanAttribute('final_result')]

const inputOutput: InputOutputRule = {
  name: 'Pydantic AI',
  read(span) {
    if (!isPydanticAi(span)) return false
    const input = findSide(span, messages, 'input')
    const output = findSide(span, result, 'output')
    if (input < 0 && output < 0) return false
    if (input >= 0) writeMessages(span, input, span.input)
    else span.input.clear()
    span.output.attribute(span, output)
    span.explanation?.side('input')
    return true
  },
}

export const pydanticAi: Dialect = {
  name: 'Pydantic AI',
  keys: pydanticAiKeys,
  vocabulary: { prefixes: [{ prefix: 'model_request_parameters', flags: keyFlag.tool }] },
  attributes: { provided_model_name: [[110, spanAttribute('model_name')]] },
  inputOutput: [
    [150, pair('Pydantic, Pipecat', { input: ['input'], output: ['output'] })],
    [160, inputOutput],
    [170, pair('Pydantic AI tool', { input: ['tool_arguments'], output: ['tool_response'] })],
  ],
  modelParameters: [[60, parametersIn('model_config')]],
  tools: [[40, requestTools]],
}
