// OpenInference, which SmolAgents also uses.
import type { Dialect } from '../../rules/dialect.ts'
import { pair } from '../../rules/input-output-rule.ts'
import { parametersIn } from '../../rules/model-parameters.ts'
import { rebuilt } from '../../rules/rebuilt.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { toolAttribute } from '../../rules/tool-source.ts'
import { wordOf, words } from '../../rules/words.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { openinferenceKeys } from './keys.ts'
import { indexedTools, toolsOfParameters } from './tools.ts'

const kindKey = keyNumber('openinference.span.kind')
const kinds = words<ObservationType>({
  CHAIN: 'CHAIN',
  RETRIEVER: 'RETRIEVER',
  RERANKER: 'RETRIEVER',
  EMBEDDING: 'EMBEDDING',
  AGENT: 'AGENT',
  TOOL: 'TOOL',
  GUARDRAIL: 'GUARDRAIL',
  EVALUATOR: 'EVALUATOR',
  LLM: 'GENERATION',
})

export const openInference: Dialect = {
  name: 'OpenInference',
  keys: openinferenceKeys,
  vocabulary: {
    prefixes: [
      { prefix: 'llm.invocation_parameters.', flags: keyFlag.modelParameter | keyFlag.invocationParameter, except: ['model'] },
      { prefix: 'llm.token_count.', flags: keyFlag.usage },
      { prefix: 'llm.usage.', flags: keyFlag.usage },
      // The key `llm.token_count` itself contains a map of all counts.
      { prefix: 'llm.token_count', flags: keyFlag.usage },
      { prefix: 'llm.usage', flags: keyFlag.usage },
      { prefix: 'llm.cost.', flags: keyFlag.money },
      { prefix: 'llm.tools.', flags: keyFlag.tool },
      { prefix: 'retrieval.documents.', flags: keyFlag.documentPart },
      { prefix: 'reranker.output_documents.', flags: keyFlag.documentPart },
      { prefix: 'llm.input_messages.', flags: keyFlag.leaves | keyFlag.inputMessagePart },
      { prefix: 'llm.output_messages.', flags: keyFlag.leaves | keyFlag.outputMessagePart },
    ],
    // An embedding has thousands of numbers that nobody reads. The metadata therefore gets the length of a vector instead of its numbers.
    patterns: [
      { pattern: /^embedding\.embeddings\.\d+\.embedding\.vector$/, flags: keyFlag.embeddingVector },
      { pattern: /^embedding\.embeddings\.\d+\.embedding\.text$/, flags: keyFlag.embeddingText },
      { pattern: /^llm\.tools$/, flags: keyFlag.tool },
    ],
    also: [
      { pattern: /^llm\.invocation_parameters$/, flags: keyFlag.tool },
      { pattern: /^llm\.tools\.\d+\.tool\.json_schema$/, flags: keyFlag.toolSchemaPart },
      { pattern: /^llm\.tools\.\d+(?!\.tool\.json_schema$)(?:\.|$)/, flags: keyFlag.toolListPart },
    ],
  },
  attributes: {
    tags: [[70, spanAttribute('tag.tags')]],
    provided_model_name: [
      [60, spanAttribute('llm.model_name')],
      [100, spanAttribute('embedding.model_name')],
      [120, spanAttribute('reranker.model_name')],
    ],
    names_a_model: [[40, spanAttribute('llm.model_name', 'present')]],
    plain_metadata: [[10, spanAttribute('metadata')]],
  },
  type: [[30, { name: 'openinference.span.kind', read: span => wordOf(span, kindKey, kinds) }]],
  inputOutput: [
    [
      140,
      pair('openinference', {
        input: ['input.value', 'reranker.query'],
        output: ['output.value', 'retrieval.documents', 'reranker.output_documents'],
      }),
    ],
    [
      190,
      rebuilt('openinference messages', {
        input: { key: 'llm.input_messages', flag: keyFlag.inputMessagePart },
        output: { key: 'llm.output_messages', flag: keyFlag.outputMessagePart },
      }),
    ],
  ],
  modelParameters: [
    [40, parametersIn('llm.invocation_parameters')],
    [50, parametersIn('embedding.invocation_parameters')],
  ],
  tools: [
    [48, toolAttribute('llm.tools')],
    [50, indexedTools],
    [52, toolsOfParameters],
  ],
}
