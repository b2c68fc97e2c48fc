// Usage of the Vercel AI SDK up to version 6, under scope `ai`: the SDK's own attributes, and the provider's report.

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
/** In the value of `operation.name`, a space and the function's id can follow the operation. */
const operationRules = spanAttributes('truthy', 'ai.operationId', 'operation.name')

/**
 * Matches `ai.generateText` and similar operations of an outer span. The model calls below an outer span have their own spans
 * (`ai.generateText.doGenerate`). In every version of the SDK, an outer span repeats the usage of its model calls.
 */
const outerOperation = /^ai\.[A-Za-z]+(?: |$)/
const longestOperation = 64

/**
 * Always sets the input and output counts, so that the server never counts this span's tokens. Returns false if the provider's report is
 * invalid JSON.
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

/** The SDK's numbers are integers, but a provider's numbers can be fractions. */
function leadingInteger(span: SpanView, entry: number): Units | undefined {
  const units = unitsOfAttribute(span, entry) ?? Number.parseInt(attributeText(span, entry).slice(0, longestOperation), 10)
  return countOf(typeof units === 'number' ? Math.trunc(units) : units)
}

/** A call that reports only a total is an embedding. */
function completeWholes(said: SaidUsage): void {
  const total = said.has(cell.total) ? said.units[cell.total]! : undefined
  if (total !== undefined && !said.has(cell.input) && !said.has(cell.output)) said.fill(cell.input, total)
  if (total === undefined || !said.has(cell.input) || said.units[cell.input]! >= total) said.fill(cell.output, 0)
  if (total === undefined || said.units[cell.output]! >= total) said.fill(cell.input, 0)
}

/** Returns undefined for a report other than an object, and counts the loss. */
function reportOf(span: SpanView): JsonObject | undefined {
  const entry = findFirst(span, providerRules)
  if (entry < 0 || isNullText(span, entry)) return {}
  const report = jsonAttribute(span, entry)
  if (isJsonObject(report)) return report
  span.lose('unreadable_json', entry)
  return undefined
}

/** Matches every provider of Anthropic's models, and Bedrock's Converse, which counts tokens in the same way. */
const countingBesideCache = /anthropic|^amazon-bedrock/i

/**
 * Up to version 5 of the SDK, the input of providers that count like Anthropic excludes cached tokens. For providers that count like
 * Anthropic, the total is the SDK's sum of input and output, without cached tokens.
 */
function countsBesideCache(span: SpanView, report: JsonObject): boolean {
  if (isJsonObject(report['anthropic'])) return true
  const entry = findFirst(span, providerNames)
  if (entry < 0) return false
  const name = attributeText(span, entry).slice(0, longestOperation)
  // If the call went through a gateway, only the provider's report names the provider.
  return countingBesideCache.test(name) || (name === 'gateway' && isJsonObject(report['bedrock']))
}

/** Version 6 of the SDK reports the cached tokens separately, and includes them in the input. */
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

/** Words that mention money. The first letter of each word is omitted, because it can be upper or lower case. */
const moneyWord = /ost|rice|pen[dt]|harge|mount|usd|Usd|USD|ollar|illed/

/** Most reports do not mention money, and searching a report for words takes less time than reading all of its names. */
const mentionsMoney = (span: SpanView, entry: number): boolean =>
  span.attributes.kinds[entry] !== valueKind.text || moneyWord.test(attributeText(span, entry))

/** Reads the amount that OpenRouter, the gateway of the call, or the provider itself charged. Returns false if no amount is reported. */
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

/** The tier in the provider's report of the response. */
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
