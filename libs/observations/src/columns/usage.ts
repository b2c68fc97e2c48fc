// Tokens and money as the client counted them.
import { type BlockBuilder, NumberMapColumn, sourceOf } from '@svc-server/column-store/native'
import { exactInt, valueKind } from '../attributes/any-value.ts'
import { isJsonObject, numberText, parseJson } from '../attributes/json-text.ts'
import { type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText } from './column-writer.ts'
import { costUnits, maxUsage, usageUnits } from './decimal.ts'
import { isAggregate } from './model.ts'

const usageDetailRules = [spanAttribute('svc.observation.usage_details', 'set')]
const costDetailRules = [spanAttribute('svc.observation.cost_details', 'set')]
const totalCostRules = [spanAttribute('gen_ai.usage.cost', 'set'), spanAttribute('llm.cost.total', 'set')]

export const tokenRules: readonly { readonly name: string; readonly rules: readonly AttributeRule[] }[] = [
  { name: 'input', rules: [spanAttribute('gen_ai.usage.prompt_tokens', 'set'), spanAttribute('gen_ai.usage.input_tokens', 'set')] },
  { name: 'output', rules: [spanAttribute('gen_ai.usage.completion_tokens', 'set'), spanAttribute('gen_ai.usage.output_tokens', 'set')] },
  { name: 'total', rules: [spanAttribute('gen_ai.usage.total_tokens', 'set')] },
]

type Amounts = readonly (readonly [name: string, units: bigint])[]

/** Values that do not fit their map were left out: then the attribute itself has to stay in the metadata. */
export interface DetailsLeftOut {
  usage: number
  cost: number
}

export function usageColumns(block: BlockBuilder, leftOut: DetailsLeftOut): ColumnWriter {
  const providedUsage = block.column('provided_usage_details', NumberMapColumn)
  const usage = block.column('usage_details', NumberMapColumn)
  const providedCost = block.column('provided_cost_details', NumberMapColumn)
  const cost = block.column('cost_details', NumberMapColumn)

  return (row, span) => {
    leftOut.usage = leftOut.cost = -1
    if (isAggregate(span)) return
    const usageEntry = findFirst(span, usageDetailRules)
    const amounts = usageEntry >= 0 ? details(span, usageEntry, usageUnits, () => (leftOut.usage = usageEntry)) : tokenCounts(span)
    write(providedUsage, row, amounts)
    write(usage, row, withTotal(amounts, maxUsage))
    const costEntry = findFirst(span, costDetailRules)
    const costs = costEntry >= 0 ? details(span, costEntry, costUnits, () => (leftOut.cost = costEntry)) : totalCost(span)
    write(providedCost, row, costs)
    write(cost, row, withTotal(costs, maxUsage))
  }
}

function write(column: NumberMapColumn, row: number, amounts: Amounts): void {
  for (const [name, units] of amounts) {
    const key = sourceOf(name)
    column.set(row, column.keyIndexOf(key, 0, key.bytes.length), units)
  }
}

const none: Amounts = []

function details(span: SpanView, entry: number, unitsOf: (digits: string) => bigint | undefined, onLeftOut: () => void): Amounts {
  const text = renderText(span.source, span.attributes.value(entry))
  const parsed = parseJson(Buffer.from(text.bytes.buffer, 0, text.length).toString())
  if (!isJsonObject(parsed)) {
    onLeftOut()
    return none
  }
  const amounts: [string, bigint][] = []
  for (const [name, value] of Object.entries(parsed)) {
    const digits = typeof value === 'string' ? value : numberText(value)
    const units = digits === undefined ? undefined : unitsOf(digits)
    if (units === undefined) onLeftOut()
    else amounts.push([name, units])
  }
  return amounts
}

function tokenCounts(span: SpanView): Amounts {
  let amounts: [string, bigint][] | undefined
  for (const { name, rules } of tokenRules) {
    const entry = findFirst(span, rules)
    const units = entry < 0 ? undefined : numberOfAttribute(span, entry, usageUnits)
    if (units !== undefined) (amounts ??= []).push([name, units])
  }
  return amounts ?? none
}

function totalCost(span: SpanView): Amounts {
  const entry = findFirst(span, totalCostRules)
  const units = entry < 0 ? undefined : numberOfAttribute(span, entry, costUnits)
  return units === undefined ? none : [['total', units]]
}

function numberOfAttribute(span: SpanView, entry: number, unitsOf: (digits: string) => bigint | undefined): bigint | undefined {
  const value = span.attributes.value(entry)
  if (value.kind === valueKind.int) return unitsOf(exactInt(span.source.bytes, value))
  if (value.kind === valueKind.double) return unitsOf(String(value.number))
  if (value.kind !== valueKind.text || value.end - value.start > 64) return undefined
  const text = renderText(span.source, value)
  return unitsOf(Buffer.from(text.bytes.buffer, 0, text.length).toString())
}

/** The sum of all parts as `total`, unless there is one or the sum leaves the type. */
function withTotal(amounts: Amounts, max: bigint): Amounts {
  if (amounts.length === 0 || amounts.some(([name]) => name === 'total')) return amounts
  const sum = amounts.reduce((total, [, units]) => total + units, 0n)
  return sum > max ? amounts : [...amounts, ['total', sum]]
}
