// What kind of observation a span is.
import { type BlockBuilder, LowCardinalityColumn, sourceOf } from '@svc-server/column-store/native'
import { type KnownKey, keyNumber } from '../attributes/keys.ts'
import { firstOf, type Rule } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import type { ColumnWriter } from './column-writer.ts'
import { type Words, wordOf, words } from './words.ts'

export const observationTypes = [
  'SPAN',
  'GENERATION',
  'EVENT',
  'EMBEDDING',
  'AGENT',
  'TOOL',
  'CHAIN',
  'RETRIEVER',
  'GUARDRAIL',
  'EVALUATOR',
] as const
export type ObservationType = (typeof observationTypes)[number]

const sdkTypes = words<ObservationType>(Object.fromEntries(observationTypes.map(type => [type.toLowerCase(), type])))

const openInferenceKinds = words<ObservationType>({
  CHAIN: 'CHAIN',
  RETRIEVER: 'RETRIEVER',
  EMBEDDING: 'EMBEDDING',
  AGENT: 'AGENT',
  TOOL: 'TOOL',
  GUARDRAIL: 'GUARDRAIL',
  EVALUATOR: 'EVALUATOR',
  LLM: 'GENERATION',
})

const genAiOperations = words<ObservationType>({
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

const genkitSubtypes = words<ObservationType>({
  model: 'GENERATION',
  'background-model': 'GENERATION',
  embedder: 'EMBEDDING',
  tool: 'TOOL',
  'tool.v2': 'TOOL',
  retriever: 'RETRIEVER',
  evaluator: 'EVALUATOR',
})

const named = (name: KnownKey, table: Words<ObservationType>): Rule<ObservationType> => {
  const key = keyNumber(name)
  return { name, read: span => wordOf(span, key, table) }
}

const whenPresent = (name: string, keys: readonly KnownKey[], type: ObservationType): Rule<ObservationType> => {
  const numbers = keys.map(keyNumber)
  return { name, read: span => (numbers.some(key => span.attributes.isPresent(span.own.get(key))) ? type : undefined) }
}

/** A value that a table does not know leaves the decision to the next rule. */
export const typeRules: readonly Rule<ObservationType>[] = [
  named('svc.observation.type', sdkTypes),
  named('openinference.span.kind', openInferenceKinds),
  named('gen_ai.operation.name', genAiOperations),
  named('genkit:metadata:subtype', genkitSubtypes),
  whenPresent('a tool is named', ['gen_ai.tool.name', 'gen_ai.tool.call.id'], 'TOOL'),
  whenPresent(
    'a model is named',
    ['svc.observation.model.name', 'gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'model'],
    'GENERATION',
  ),
]

export const typeOf = (span: SpanView): ObservationType => firstOf(typeRules, span) ?? 'SPAN'

export function typeColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('type', LowCardinalityColumn)
  const texts = new Map(observationTypes.map(type => [type, sourceOf(type)]))
  return (row, span) => {
    const text = texts.get(typeOf(span))!
    column.text(row, text, 0, text.bytes.length)
  }
}
