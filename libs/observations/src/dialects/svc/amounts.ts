// Reads the usage and the cost that the product's own SDKs send. One attribute contains the usage as a JSON object, and another attribute
// contains the cost.
import type { Amounts } from '@svc-server/pricing/amounts'
import { type AmountsRule, moneyUnits } from '../../rules/amounts-rule.ts'
import { attributeText } from '../../rules/attribute-text.ts'
import { readUsage } from '../../rules/json-usage.ts'
import { findFirst, spanAttribute } from '../../rules/rules.ts'
import { setCount } from '../../rules/units.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { isJsonObject, type JsonObject, numberText, parseJson } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

export const usageAttribute = spanAttribute('svc.observation.usage_details', 'set')
export const costAttribute = spanAttribute('svc.observation.cost_details', 'set')
const usageRules = [usageAttribute]
const costRules = [costAttribute]

export const usageDetails: AmountsRule = { name: 'svc.observation.usage_details', read: sdkUsage }
export const costDetails: AmountsRule = { name: 'svc.observation.cost_details', read: sdkCost }

/** Returns null for valid JSON that is not an object. For invalid JSON, returns undefined and counts a loss. */
function objectOf(span: SpanView, entry: number): JsonObject | null | undefined {
  const parsed = parseJson(attributeText(span, entry))
  if (parsed === undefined && span.attributes.kinds[entry] === valueKind.text) {
    span.lose('unreadable_json', entry)
    return undefined
  }
  return isJsonObject(parsed) ? parsed : null
}

/** If the attribute's JSON is valid but not an object, the span has no usage. If the JSON is invalid, the next rule is tried. */
function sdkUsage(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, usageRules)
  if (entry < 0) return false
  const usage = objectOf(span, entry)
  if (usage === undefined) return false
  into.clear()
  if (usage === null || !readUsage(usage, into)) span.lose('unfit_value', entry)
  return true
}

/** If the attribute's JSON is an empty object or not an object, the costs are unknown. If the JSON is invalid, the next rule is tried. */
function sdkCost(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, costRules)
  if (entry < 0) return false
  const costs = objectOf(span, entry)
  if (costs === undefined) return false
  into.clear()
  if (costs === null) {
    span.lose('unfit_value', entry)
    return true
  }
  for (const [name, value] of Object.entries(costs)) {
    const units = moneyUnits(span, entry, typeof value === 'string' ? value : (numberText(value) ?? ''))
    if (units === undefined) span.lose('unfit_value', entry)
    else setCount(into, name, units)
  }
  return true
}
