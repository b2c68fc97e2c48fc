// The Vercel AI SDK through its own tracer (scope `ai`); version 7 speaks the semantic conventions by default.

import { findSide, type InputOutputRule, scopeIs } from '../../rules/input-output-rule.ts'
import { isNullText, jsonOf, jsonText, memberOf } from '../../rules/json-attribute.ts'
import { type Accepts, type AttributeRule, findFirst, type Rule, spanAttribute, spanAttributes } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { Content } from '../../span-view/content.ts'
import { isJsonObject, parseJson, wireText } from '../../span-view/json-text.ts'
import { type KnownKey, keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { genAiMessages } from '../gen-ai/gen-ai.ts'

export const isVercelAi = scopeIs('ai')

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

/** Text of an operation key, empty where it is something else; `operation.name` may go on with the function's id. */
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

export const vercelAiCall: Rule<ObservationType> = {
  name: 'Vercel AI call of a model',
  read: span => {
    if (!hasOperation(span) || findFirst(span, modelInfo) < 0) return undefined
    return calls.find(([operation]) => isOperation(span, operation))?.[1]
  },
}

export const vercelAiTool: Rule<ObservationType> = {
  name: 'Vercel AI call of a tool',
  read: span => (hasOperation(span) && isOperation(span, 'ai.toolCall') ? 'TOOL' : undefined),
}

/** As `spanAttributes`, but the texts `null` and `undefined` are no values: the SDK makes them of what the application did not give. */
function saying(accepts: Accepts, ...keys: readonly KnownKey[]): readonly AttributeRule[] {
  return keys.map(key => {
    const number = keyNumber(key)
    return spanAttribute(key, accepts, span => !isNullText(span, span.own.get(number)))
  })
}

const inputs = spanAttributes('key', 'ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args')
const texts = spanAttributes('truthy', 'ai.response.text', 'ai.result.text')
const toolCalls = saying('truthy', 'ai.response.toolCalls', 'ai.result.toolCalls')
const otherOutputs = spanAttributes(
  'key',
  'ai.toolCall.result',
  'ai.response.object',
  'ai.result.object',
  'ai.response.toolCalls',
  'ai.result.toolCalls',
)

const held = new Content()

export const vercelAiInputOutput: InputOutputRule = {
  name: 'Vercel AI',
  read(span) {
    if (!isVercelAi(span)) return false
    const input = findSide(span, inputs, 'input')
    const text = findSide(span, texts, 'output')
    const tools = text < 0 ? -1 : findSide(span, toolCalls, 'output')
    const output = text >= 0 ? text : findSide(span, otherOutputs, 'output')
    // The conventions' messages are the answer for the side that has none of these.
    if (input < 0 || output < 0) genAiMessages.read(span)
    if (input >= 0) writeSet(span, input, span.input)
    if (tools >= 0) writeAnswer(span, text, tools)
    else if (output >= 0) writeSet(span, output, span.output)
    return true
  },
}

const writeSet = (span: SpanView, entry: number, into: Content) => into.attribute(span, span.attributes.isSet(entry) ? entry : -1)

/** Text and tool calls of one answer as the message that they are. */
function writeAnswer(span: SpanView, text: number, tools: number): void {
  held.attribute(span, text)
  const content = held.text()
  held.attribute(span, tools)
  const calls = held.text()
  // Valid JSON goes in as it was written.
  const list = parseJson(calls) === undefined ? JSON.stringify(calls) : calls
  span.output.string(`{"role":"assistant","content":${JSON.stringify(content)},"tool_calls":${list}}`)
}

/** Parameters by name: the first of the keys that is there, as text. A setting that nobody gave is none. */
const settings: readonly (readonly [name: string, ...keys: readonly KnownKey[]])[] = [
  ['maxSteps', 'ai.settings.maxSteps'],
  ['toolChoice', 'ai.prompt.toolChoice'],
  ['maxTokens', 'gen_ai.request.max_tokens'],
  ['finishReason', 'gen_ai.response.finish_reasons', 'gen_ai.finishReason'],
  ['system', 'gen_ai.system', 'ai.model.provider'],
  ['maxRetries', 'ai.settings.maxRetries'],
  ['mode', 'ai.settings.mode'],
  ['temperature', 'gen_ai.request.temperature'],
]
const settingRules = settings.map(([name, ...keys]) => ({ name, rules: saying('set', ...keys) }))
const tierRules = saying('set', 'gen_ai.request.service_tier')
const explicitRules = saying('truthy', 'svc.observation.model.parameters')

export const vercelAiParameters: Rule<unknown> = {
  name: 'Vercel AI settings',
  read(span) {
    if (!isVercelAi(span)) return undefined
    const tier = memberOf(jsonOf(span, 'ai.response.providerMetadata'), 'openai', 'serviceTier')
    const explicit = findFirst(span, explicitRules)
    const given = explicit < 0 ? undefined : jsonOf(span, 'svc.observation.model.parameters')
    if (explicit >= 0 && !isJsonObject(given)) span.lose('unreadable_json', explicit)
    const found = [
      ...settingRules.map(({ name, rules }) => [name, settingText(span, findFirst(span, rules))] as const),
      ['service_tier', typeof tier === 'string' ? tier : settingText(span, findFirst(span, tierRules))] as const,
    ]
    return Object.fromEntries([...found.filter(([, text]) => text !== undefined), ...(isJsonObject(given) ? Object.entries(given) : [])])
  },
}

/** Text of a setting; a list's elements joined by commas. */
function settingText(span: SpanView, entry: number): string | undefined {
  if (entry < 0) return undefined
  held.attribute(span, entry)
  const text = held.text()
  if (span.attributes.kinds[entry] !== valueKind.array) return text
  const list = parseJson(text)
  return Array.isArray(list) ? list.map(element => (typeof element === 'string' ? element : (jsonText(element) ?? ''))).join(',') : text
}
