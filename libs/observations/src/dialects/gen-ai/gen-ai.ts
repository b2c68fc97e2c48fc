// The OpenTelemetry semantic conventions for generative AI: attributes, the older ones with the path in the key, and span events.

import { findSide, type InputOutputRule } from '../../rules/input-output-rule.ts'
import { writeMessages } from '../../rules/messages.ts'
import { rebuilt } from '../../rules/rebuilt.ts'
import { findFirst, type Rule, spanAttribute, whenPresent } from '../../rules/rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import { keyFlag } from '../../span-view/key-table.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'

const operationKey = keyNumber('gen_ai.operation.name')
const operations = words<ObservationType>({
  chat: 'GENERATION',
  completion: 'GENERATION',
  text_completion: 'GENERATION',
  generate_content: 'GENERATION',
  generate: 'GENERATION',
  embeddings: 'EMBEDDING',
  invoke_agent: 'AGENT',
  create_agent: 'AGENT',
  execute_tool: 'TOOL',
})

export const genAiType: Rule<ObservationType> = { name: 'gen_ai.operation.name', read: span => wordOf(span, operationKey, operations) }

export const genAiToolType = whenPresent<ObservationType>('a tool is named', ['gen_ai.tool.name', 'gen_ai.tool.call.id'], 'TOOL')

const aggregating = words({ invoke_agent: true, agent_step: true })

/** An agent's span repeats model and usage of its children: counting both would count twice. */
export const isAggregate = (span: SpanView): boolean => wordOf(span, operationKey, aggregating) === true

export const genAiPrompt = rebuilt('gen_ai prompt and completion', {
  input: { key: 'gen_ai.prompt', flag: keyFlag.promptPart },
  output: { key: 'gen_ai.completion', flag: keyFlag.completionPart },
})

const inputMessages = [spanAttribute('gen_ai.input.messages')]
const outputMessages = [spanAttribute('gen_ai.output.messages')]
const toolArguments = [spanAttribute('gen_ai.tool.call.arguments')]
const toolResult = [spanAttribute('gen_ai.tool.call.result')]

/** A tool's arguments are the input of a span without any messages. Beside messages they stay in the metadata. */
export const genAiMessages: InputOutputRule = {
  name: 'gen_ai messages',
  read(span) {
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
  },
}
