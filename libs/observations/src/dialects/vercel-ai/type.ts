// What a span of the Vercel AI SDK is: its operation says it.
import { findFirst, type Rule, spanAttributes } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import '../gen-ai/keys.ts'
import '../svc/keys.ts'
import './keys.ts'

const calls: readonly (readonly [operation: string, type: ObservationType])[] = [
  ['ai.generateText.doGenerate', 'GENERATION'],
  ['ai.streamText.doStream', 'GENERATION'],
  ['ai.generateObject.doGenerate', 'GENERATION'],
  ['ai.streamObject.doStream', 'GENERATION'],
  ['ai.embedMany.doEmbed', 'EMBEDDING'],
  ['ai.embed.doEmbed', 'EMBEDDING'],
]
const operationNameKey = keyNumber('operation.name')
const operationIdKey = keyNumber('ai.operationId')
const longestOperation = 256

/**
 * Text of an operation key, empty where it is something else; `operation.name` may go on with the function's
 * id.
 */
function operationOf(span: SpanView, key: number): string {
  const entry = span.own.get(key)
  const { kinds, starts, ends } = span.attributes
  if (entry < 0 || kinds[entry] !== valueKind.text) return ''
  return wireText(span.source, starts[entry]!, Math.min(ends[entry]!, starts[entry]! + longestOperation))
}

/** `operation.name` starts with the operation, or `ai.operationId` is it. */
function isOperation(span: SpanView, operation: string): boolean {
  if (operationOf(span, operationNameKey).startsWith(operation)) {
    span.trail?.use('operation.name')
    return true
  }
  if (operationOf(span, operationIdKey) !== operation) return false
  span.trail?.use('ai.operationId')
  return true
}

const modelInfo = spanAttributes('present', 'svc.observation.model.name', 'ai.model.id', 'gen_ai.request.model', 'gen_ai.response.model')
const hasOperation = (span: SpanView) => span.own.get(operationNameKey) >= 0 || span.own.get(operationIdKey) >= 0

export const modelCall: Rule<ObservationType> = {
  name: 'Vercel AI call of a model',
  read: span => {
    if (!hasOperation(span) || findFirst(span, modelInfo) < 0) return undefined
    return calls.find(([operation]) => isOperation(span, operation))?.[1]
  },
}

export const toolCall: Rule<ObservationType> = {
  name: 'Vercel AI call of a tool',
  read: span => (hasOperation(span) && isOperation(span, 'ai.toolCall') ? 'TOOL' : undefined),
}
