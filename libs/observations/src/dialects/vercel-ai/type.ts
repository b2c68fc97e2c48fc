import { findFirst, type Rule, spanAttributes } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import '../gen-ai/keys.ts'
import '../svc/keys.ts'
import './keys.ts'

type Operation = readonly [operation: string, type: ObservationType]

const calls: readonly Operation[] = [
  ['ai.generateText.doGenerate', 'GENERATION'],
  ['ai.streamText.doStream', 'GENERATION'],
  ['ai.generateObject.doGenerate', 'GENERATION'],
  ['ai.streamObject.doStream', 'GENERATION'],
  ['ai.embedMany.doEmbed', 'EMBEDDING'],
  ['ai.embed.doEmbed', 'EMBEDDING'],
]
const toolCalls: readonly Operation[] = [['ai.toolCall', 'TOOL']]
const operationNameKey = keyNumber('operation.name')
const operationIdKey = keyNumber('ai.operationId')
const longestOperation = 256

/**
 * Returns at most the first `longestOperation` bytes of the attribute's text, or an empty text if the attribute is absent or its value is
 * not a text. The name of the operation comes first. In `operation.name`, the id of a function can follow this name.
 */
function operationOf(span: SpanView, key: number): string {
  const entry = span.own.get(key)
  const { kinds, starts, ends } = span.attributes
  if (entry < 0 || kinds[entry] !== valueKind.text) return ''
  return wireText(span.source, starts[entry]!, Math.min(ends[entry]!, starts[entry]! + longestOperation))
}

/** Returns the type of the first operation in the list that equals `ai.operationId`, or is the beginning of `operation.name`. */
function typeAmong(span: SpanView, operations: readonly Operation[]): ObservationType | undefined {
  const name = operationOf(span, operationNameKey)
  const id = operationOf(span, operationIdKey)
  for (const [operation, type] of operations) {
    const isNamed = name.startsWith(operation)
    if (!isNamed && id !== operation) continue
    span.explanation?.use(isNamed ? 'operation.name' : 'ai.operationId')
    return type
  }
  return undefined
}

const modelInfo = spanAttributes('present', 'svc.observation.model.name', 'ai.model.id', 'gen_ai.request.model', 'gen_ai.response.model')
const hasOperation = (span: SpanView) => span.own.get(operationNameKey) >= 0 || span.own.get(operationIdKey) >= 0

export const modelCall: Rule<ObservationType> = {
  name: 'Vercel AI call of a model',
  read: span => (hasOperation(span) && findFirst(span, modelInfo) >= 0 ? typeAmong(span, calls) : undefined),
}

export const toolCall: Rule<ObservationType> = {
  name: 'Vercel AI call of a tool',
  read: span => (hasOperation(span) ? typeAmong(span, toolCalls) : undefined),
}
