// Input and output of a voice agent, for all LiveKit versions.
import { attributeText } from '../../rules/attribute-text.ts'
import { findSide, type InputOutputRule } from '../../rules/input-output-rule.ts'
import { isNullText } from '../../rules/json-attribute.ts'
import { spanAttributes } from '../../rules/rules.ts'
import { writeAnswer } from '../../rules/spoken-answer.ts'
import { namesOf } from './keys.ts'

const inputs = spanAttributes(
  'truthy',
  ...[
    ...namesOf('input_text'),
    ...namesOf('user_transcript'),
    ...namesOf('chat_ctx'),
    ...namesOf('user_input'),
    ...namesOf('function_tool.arguments'),
  ],
)
const texts = spanAttributes('truthy', ...namesOf('function_tool.output'), ...namesOf('response.text'))
const callLists = spanAttributes('present', ...namesOf('response.function_calls'))

export const inputOutput: InputOutputRule = {
  name: 'LiveKit',
  read(span) {
    const input = findSide(span, inputs, 'input')
    const text = findSide(span, texts, 'output')
    const list = findSide(span, callLists, 'output')
    const calls = list >= 0 && !isNullText(span, list) && attributeText(span, list) !== '[]' ? list : -1
    if (input < 0 && text < 0 && calls < 0) return false
    span.input.attribute(span, input)
    if (text >= 0 && calls >= 0) writeAnswer(span, text, calls)
    else span.output.attribute(span, text >= 0 ? text : calls)
    return true
  },
}
