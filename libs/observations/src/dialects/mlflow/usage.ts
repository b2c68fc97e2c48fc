// MLflow's totals of a call: tokens and cost, each as one JSON value.
import type { Amounts } from '@svc-server/pricing/amounts'
import type { SaidUsage } from '@svc-server/pricing/said-usage'
import { jsonAttribute } from '../../rules/json-attribute.ts'
import { findFirst, spanAttributes } from '../../rules/rules.ts'
import { moneyIn } from '../../rules/said-money.ts'
import { countsIn } from '../../rules/usage-rules.ts'
import { isJsonObject } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const usageRules = spanAttributes('truthy', 'mlflow.chat.tokenUsage')
const costRules = spanAttributes('truthy', 'mlflow.llm.cost')

export function mlflowUsage(span: SpanView, said: SaidUsage): boolean {
  const entry = findFirst(span, usageRules)
  const usage = entry < 0 ? undefined : jsonAttribute(span, entry)
  return isJsonObject(usage) && countsIn(usage, said, { entry })
}

export function mlflowCost(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, costRules)
  const cost = entry < 0 ? undefined : jsonAttribute(span, entry)
  return isJsonObject(cost) && moneyIn(span, entry, cost, into, true)
}
