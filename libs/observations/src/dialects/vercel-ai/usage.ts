// Usage of the Vercel AI SDK up to its sixth version, under scope `ai`: attributes of its own, and what the
// provider reported beside them.

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { attributeText } from '../../rules/attribute-text.ts'
import { isNullText, jsonAttribute } from '../../rules/json-attribute.ts'
import { findFirst, spanAttributes } from '../../rules/rules.ts'
import { countAt, countOf, setCount, unitsOfAttribute, without } from '../../rules/units.ts'
import { isJsonObject } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import '../gen-ai/keys.ts'
import './keys.ts'

const inputRules = spanAttributes('set', 'gen_ai.usage.prompt_tokens', 'gen_ai.usage.input_tokens')
const outputRules = spanAttributes('set', 'gen_ai.usage.completion_tokens', 'gen_ai.usage.output_tokens')

const own: readonly { readonly name: string; readonly rules: ReturnType<typeof spanAttributes> }[] = [
  { name: 'input', rules: spanAttributes('set', 'ai.usage.promptTokens', 'ai.usage.inputTokens') },
  { name: 'output', rules: spanAttributes('set', 'ai.usage.completionTokens', 'ai.usage.outputTokens') },
  { name: 'total', rules: spanAttributes('set', 'ai.usage.tokens', 'ai.usage.totalTokens') },
  { name: 'input_cached_tokens', rules: spanAttributes('set', 'ai.usage.cachedInputTokens', 'ai.usage.inputTokenDetails.cacheReadTokens') },
  { name: 'input_cache_creation', rules: spanAttributes('set', 'ai.usage.inputTokenDetails.cacheWriteTokens') },
  {
    name: 'output_reasoning_tokens',
    rules: spanAttributes('set', 'ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'),
  },
]
const providerRules = spanAttributes('truthy', 'ai.response.providerMetadata')
/** The second one goes on with the function's id, behind a space. */
const operationRules = spanAttributes('truthy', 'ai.operationId', 'operation.name')

/**
 * `ai.generateText` and the like: the span around the calls of a model, which have spans of their own
 * (`ai.generateText.doGenerate`). Whatever it says about usage it repeats, in every generation of the SDK.
 */
const outerOperation = /^ai\.[A-Za-z]+(?: |$)/
const longestOperation = 64

/** `same`: the count under which an attribute says the same tokens; then they are counted there. */
type Fill = readonly [name: string, path: readonly string[], same?: string]

/** What providers report; it only fills in what no attribute said. */
const reported: readonly Fill[] = [
  ['input_cached_tokens', ['openai', 'cachedPromptTokens']],
  ['accepted_prediction_tokens', ['openai', 'acceptedPredictionTokens']],
  ['rejected_prediction_tokens', ['openai', 'rejectedPredictionTokens']],
  ['output_reasoning_tokens', ['openai', 'reasoningTokens']],
  ['input_cache_creation', ['anthropic', 'usage', 'cache_creation_input_tokens']],
  ['input_cached_tokens', ['anthropic', 'usage', 'cache_read_input_tokens']],
  ['input_cache_creation_5m', ['anthropic', 'usage', 'cache_creation', 'ephemeral_5m_input_tokens']],
  ['input_cache_creation_1h', ['anthropic', 'usage', 'cache_creation', 'ephemeral_1h_input_tokens']],
  ['input_cache_read', ['bedrock', 'usage', 'cacheReadInputTokens'], 'input_cached_tokens'],
  ['input_cache_write', ['bedrock', 'usage', 'cacheWriteInputTokens'], 'input_cache_creation'],
  ['input_cache_creation', ['bedrock', 'usage', 'cacheCreationInputTokens']],
]
const inputParts = ['input_cached_tokens', 'input_cache_creation', 'input_cache_creation_5m', 'input_cache_creation_1h', 'input_cache_read']

/**
 * Input and output are always there, so that such a span is never counted by a tokenizer. False when the
 * provider's report is no JSON.
 */
export function vercelUsage(span: SpanView, into: Amounts): boolean {
  if (isOuter(span)) {
    into.clear()
    setCount(into, 'input', 0)
    setCount(into, 'output', 0)
    return true
  }
  const provider = findFirst(span, providerRules)
  const report = provider < 0 ? {} : isNullText(span, provider) ? {} : jsonAttribute(span, provider)
  if (!isJsonObject(report)) {
    span.lose('unreadable_json', provider)
    return false
  }
  into.clear()
  readCount(span, into, 'input', findFirst(span, inputRules))
  readCount(span, into, 'output', findFirst(span, outputRules))
  for (const { name, rules } of own) if (countAt(into, name) === undefined) readCount(span, into, name, findFirst(span, rules))
  const missing = reported.filter(
    ([name, , same]) => countAt(into, name) === undefined && (same === undefined || countAt(into, same) === undefined),
  )
  for (const [name, path] of missing) {
    const units = leadingInteger(valueAt(report, path))
    if (units !== undefined && countAt(into, name) === undefined) setCount(into, name, units)
  }
  splitCreation(report, into)
  setCount(
    into,
    'input',
    inputParts.reduce((rest: Units, part) => without(rest, countAt(into, part) ?? 0), countAt(into, 'input') ?? 0),
  )
  setCount(into, 'output', without(countAt(into, 'output') ?? 0, countAt(into, 'output_reasoning_tokens') ?? 0))
  return true
}

/** The tokens written to the five-minute and the one-hour cache are part of those written at all. */
function splitCreation(report: unknown, into: Amounts): void {
  const creation = countAt(into, 'input_cache_creation')
  if (creation === undefined || !isJsonObject(valueAt(report, ['anthropic', 'usage', 'cache_creation']))) return
  const rest = without(creation, countAt(into, 'input_cache_creation_5m') ?? 0)
  setCount(into, 'input_cache_creation', without(rest, countAt(into, 'input_cache_creation_1h') ?? 0))
}

function isOuter(span: SpanView): boolean {
  const entry = findFirst(span, operationRules)
  return entry >= 0 && outerOperation.test(attributeText(span, entry).slice(0, longestOperation))
}

function readCount(span: SpanView, into: Amounts, name: string, entry: number): void {
  if (entry < 0) return
  const units = countOf(truncated(unitsOfAttribute(span, entry) ?? leadingInteger(attributeText(span, entry)) ?? -1))
  if (units === undefined) span.lose('unfit_value', entry)
  else setCount(into, name, units)
}

const truncated = (units: Units): Units => (typeof units === 'number' ? Math.trunc(units) : units)

function leadingInteger(value: unknown): Units | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const number = typeof value === 'number' ? Math.trunc(value) : Number.parseInt(value.slice(0, 64), 10)
  return countOf(number)
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, key) => (isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value)
