// OpenInference, and SmolAgents, which speaks it.

import { pair } from '../../rules/input-output-rule.ts'
import { rebuilt } from '../../rules/rebuilt.ts'
import type { Rule } from '../../rules/rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import { keyFlag } from '../../span-view/key-table.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'

const kindKey = keyNumber('openinference.span.kind')
const kinds = words<ObservationType>({
  CHAIN: 'CHAIN',
  RETRIEVER: 'RETRIEVER',
  EMBEDDING: 'EMBEDDING',
  AGENT: 'AGENT',
  TOOL: 'TOOL',
  GUARDRAIL: 'GUARDRAIL',
  EVALUATOR: 'EVALUATOR',
  LLM: 'GENERATION',
})

export const openInferenceType: Rule<ObservationType> = { name: 'openinference.span.kind', read: span => wordOf(span, kindKey, kinds) }

export const openInferenceInputOutput = pair('openinference', { input: ['input.value'], output: ['output.value'] })

export const openInferenceMessages = rebuilt('openinference messages', {
  input: { key: 'llm.input_messages', flag: keyFlag.inputMessagePart },
  output: { key: 'llm.output_messages', flag: keyFlag.outputMessagePart },
})
