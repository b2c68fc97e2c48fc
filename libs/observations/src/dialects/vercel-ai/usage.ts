// Reads token counts and costs from spans of the Vercel AI SDK up to version 6 (scope `ai`).

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import type { SaidUsage } from '@svc-server/pricing/said-usage'
import { cell } from '@svc-server/pricing/usage-cells'
import { attributeText } from '../../rules/attribute-text.ts'
import { isNullText, jsonAttribute, memberOf } from '../../rules/json-attribute.ts'
import { findFirst, spanAttributes } from '../../rules/rules.ts'
import { moneyIn } from '../../rules/said-money.ts'
import type { TierRule } from '../../rules/served-tier.ts'
import { countOf, unitsOfAttribute } from '../../rules/units.ts'
import { countsIn, saidCounts } from '../../rules/usage-rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { isJsonObject, type JsonObject } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import './keys.ts'

const providerRules = spanAttributes('truthy', 'ai.response.providerMetadata')
const providerNames = spanAttributes('truthy', 'ai.model.provider')
/** `operation.name` contains the name of the operation, sometimes followed by a space and the function's id. */
const operationRules = spanAttributes('truthy', 'ai.operationId', 'operation.name')

/**
 * Outer spans such as `ai.generateText` repeat the usage of their model calls, which have their own spans (`ai.generateText.doGenerate`).
 */
const outerOperation = /^ai\.[A-Za-z]+(?: |$)/
const longestOperation = 64

/**
 * An outer span gets an input count of 0 and an output count of 0, so the server does not count the tokens of the outer span itself. For
 * any other span, `completeWholes` sets the missing input and output counts. Returns false if the provider's report is invalid JSON.
 */
export function vercelUsage(span: SpanView, said: SaidUsage): boolean {
  if (isOuter(span)) {
    said.fill(cell.input, 0)
    said.fill(cell.output, 0)
    return true
  }
  const report = reportOf(span)
  if (report === undefined) return false
  saidCounts(span, said, keyFlag.usage | keyFlag.vercelUsage, leadingInteger)
  for (const provider of Object.values(report)) if (isJsonObject(provider)) countsIn(provider, said, { fill: true })
  said.cacheIsBeside = countsBesideCache(span, report) && !hasDetails(span)
  completeWholes(said)
  return true
}

/** The SDK's numbers are integers, but the numbers of a provider can be fractions. */
function leadingInteger(span: SpanView, entry: number): Units | undefined {
  const units = unitsOfAttribute(span, entry) ?? Number.parseInt(attributeText(span, entry).slice(0, longestOperation), 10)
  return countOf(typeof units === 'number' ? Math.trunc(units) : units)
}

/**
 * If a call reports only a total, the call is an embedding, so the total is the input count. A missing input or output count becomes 0,
 * but stays missing if the reported total exceeds the other count.
 */
function completeWholes(said: SaidUsage): void {
  const total = said.has(cell.total) ? said.units[cell.total]! : undefined
  if (total !== undefined && !said.has(cell.input) && !said.has(cell.output)) said.fill(cell.input, total)
  if (total === undefined || !said.has(cell.input) || said.units[cell.input]! >= total) said.fill(cell.output, 0)
  if (total === undefined || said.units[cell.output]! >= total) said.fill(cell.input, 0)
}

/** Returns undefined and counts a loss if the report is not an object. */
function reportOf(span: SpanView): JsonObject | undefined {
  const entry = findFirst(span, providerRules)
  if (entry < 0 || isNullText(span, entry)) return {}
  const report = jsonAttribute(span, entry)
  if (isJsonObject(report)) return report
  span.lose('unreadable_json', entry)
  return undefined
}

/**
 * Matches every provider whose name contains `anthropic`. Also matches Amazon Bedrock, whose Converse API counts tokens as Anthropic does.
 */
const countingBesideCache = /anthropic|^amazon-bedrock/i

/**
 * True for Anthropic and providers that count in the same way. Up to version 5 of the SDK, the input count and the total count of these
 * providers exclude cached tokens.
 */
function countsBesideCache(span: SpanView, report: JsonObject): boolean {
  if (isJsonObject(report['anthropic'])) return true
  const entry = findFirst(span, providerNames)
  if (entry < 0) return false
  const name = attributeText(span, entry).slice(0, longestOperation)
  // For a call through a gateway, the attribute `ai.model.provider` has the value `gateway`. Only `report` then names the provider.
  return countingBesideCache.test(name) || (name === 'gateway' && isJsonObject(report['bedrock']))
}

/**
 * True for a span of the SDK's version 6. The span's input count includes the cached tokens, and separate attributes
 * (`ai.usage.inputTokenDetails.`…) report how many of the input tokens are cached.
 */
function hasDetails({ attributes, ownFrom }: SpanView): boolean {
  const { keys, flags, table } = attributes
  for (let entry = ownFrom; entry < attributes.length; entry++) {
    if ((flags[entry]! & keyFlag.vercelUsage) !== 0 && table.nameOf(keys[entry]!).startsWith('ai.usage.inputTokenDetails.')) return true
  }
  return false
}

function isOuter(span: SpanView): boolean {
  const entry = findFirst(span, operationRules)
  return entry >= 0 && outerOperation.test(attributeText(span, entry).slice(0, longestOperation))
}

/** Words that mention money. The first letter is omitted, because it can be upper or lower case. */
const moneyWord = /ost|rice|pen[dt]|harge|mount|usd|Usd|USD|ollar|illed/

/**
 * Most reports do not mention money. Searching the text of a report for words about money is faster than reading the names of all members
 * of the report.
 */
const mentionsMoney = (span: SpanView, entry: number): boolean =>
  span.attributes.kinds[entry] !== valueKind.text || moneyWord.test(attributeText(span, entry))

/** Reads what OpenRouter, Vercel's AI Gateway or the provider charged. Returns false if no amount is reported. */
export function reportedCost(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, providerRules)
  if (entry < 0 || !mentionsMoney(span, entry) || isOuter(span)) return false
  const report = jsonAttribute(span, entry)
  if (!isJsonObject(report)) return false
  const providers = Object.values(report)
  const places = [
    memberOf(report, 'openrouter', 'usage'),
    memberOf(report, 'gateway'),
    ...providers.map(provider => memberOf(provider, 'usage')),
    ...providers,
  ]
  return places.some(said => isJsonObject(said) && moneyIn(span, entry, said, into))
}

export const reportedTier: TierRule = {
  name: 'tier in the provider’s report',
  read(span, key) {
    const entry = findFirst(span, providerRules)
    const report = entry < 0 ? undefined : jsonAttribute(span, entry)
    if (!isJsonObject(report)) return undefined
    const camel = key === 'service_tier' ? 'serviceTier' : key
    for (const provider of Object.values(report)) {
      const said = memberOf(provider, camel) ?? memberOf(provider, 'usage', key) ?? memberOf(provider, 'usage', camel)
      if (typeof said === 'string' && said !== '') return said
    }
    return undefined
  },
}
