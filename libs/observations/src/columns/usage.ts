// Tokens and money as the client counted them.
import { type BlockBuilder, type ByteSource, NumberMapColumn, sourceOf } from '@svc-server/column-store/native'
import { exactInt, valueKind } from '../attributes/any-value.ts'
import { isJsonObject, numberText, parseJson, wireText } from '../attributes/json-text.ts'
import { type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText } from './column-writer.ts'
import { costUnits, maxCost, maxUsage, usageUnits } from './decimal.ts'
import { isAggregate } from './model.ts'

const usageDetailRules = [spanAttribute('svc.observation.usage_details', 'set')]
const costDetailRules = [spanAttribute('svc.observation.cost_details', 'set')]
const totalCostRules = [spanAttribute('gen_ai.usage.cost', 'set'), spanAttribute('llm.cost.total', 'set')]

export const tokenRules: readonly { readonly name: ByteSource; readonly rules: readonly AttributeRule[] }[] = [
  {
    name: sourceOf('input'),
    rules: [spanAttribute('gen_ai.usage.prompt_tokens', 'set'), spanAttribute('gen_ai.usage.input_tokens', 'set')],
  },
  {
    name: sourceOf('output'),
    rules: [spanAttribute('gen_ai.usage.completion_tokens', 'set'), spanAttribute('gen_ai.usage.output_tokens', 'set')],
  },
  { name: sourceOf('total'), rules: [spanAttribute('gen_ai.usage.total_tokens', 'set')] },
]

/** A number while it is exact, which tokens always are; money is counted in units of 1e-12. */
type Units = number | bigint

interface Amount {
  readonly name: ByteSource
  readonly units: Units
}
type Amounts = readonly Amount[]

export function usageColumns(block: BlockBuilder): ColumnWriter {
  const providedUsage = block.column('provided_usage_details', NumberMapColumn)
  const usage = block.column('usage_details', NumberMapColumn)
  const providedCost = block.column('provided_cost_details', NumberMapColumn)
  const cost = block.column('cost_details', NumberMapColumn)

  return (row, span) => {
    if (isAggregate(span)) return
    const usageEntry = findFirst(span, usageDetailRules)
    const amounts = usageEntry < 0 ? tokenCounts(span) : details(span, usageEntry, usageUnits)
    write(providedUsage, row, amounts)
    write(usage, row, withTotal(amounts, maxUsage))
    const costEntry = findFirst(span, costDetailRules)
    const costs = costEntry < 0 ? totalCost(span) : details(span, costEntry, costUnits)
    write(providedCost, row, costs)
    write(cost, row, withTotal(costs, maxCost))
  }
}

function write(column: NumberMapColumn, row: number, amounts: Amounts): void {
  for (let i = 0; i < amounts.length; i++) {
    const { name, units } = amounts[i]!
    column.set(row, column.keyIndexOf(name, 0, name.bytes.length), units)
  }
}

const none: Amounts = []
const total = sourceOf('total')

/** What does not fit leaves the map, never the metadata. */
function details(span: SpanView, entry: number, unitsOf: (digits: string) => bigint | undefined): Amounts {
  const text = renderText(span.source, span.attributes.value(entry))
  const parsed = parseJson(wireText(text, 0, text.length))
  if (!isJsonObject(parsed)) {
    span.leaveOut(entry)
    return none
  }
  const amounts: Amount[] = []
  for (const [name, value] of Object.entries(parsed)) {
    const digits = typeof value === 'string' ? value : numberText(value)
    const units = digits === undefined ? undefined : unitsOf(digits)
    if (units === undefined) span.leaveOut(entry)
    else amounts.push({ name: sourceOf(name), units })
  }
  return amounts
}

function tokenCounts(span: SpanView): Amounts {
  let amounts: Amount[] | undefined
  for (let i = 0; i < tokenRules.length; i++) {
    const { name, rules } = tokenRules[i]!
    const entry = findFirst(span, rules)
    const units = entry < 0 ? undefined : numberOfAttribute(span, entry, usageUnits)
    if (units !== undefined) (amounts ??= []).push({ name, units })
  }
  return amounts ?? none
}

function totalCost(span: SpanView): Amounts {
  const entry = findFirst(span, totalCostRules)
  const units = entry < 0 ? undefined : numberOfAttribute(span, entry, costUnits)
  return units === undefined ? none : [{ name: total, units }]
}

function numberOfAttribute(span: SpanView, entry: number, unitsOf: (digits: string) => bigint | undefined): Units | undefined {
  const { kinds, numbers } = span.attributes
  const number = numbers[entry]!
  if (kinds[entry] === valueKind.int && unitsOf === usageUnits && number >= 0 && number <= Number.MAX_SAFE_INTEGER) return number
  const value = span.attributes.value(entry)
  if (value.kind === valueKind.int) return unitsOf(exactInt(span.source.bytes, value))
  if (value.kind === valueKind.double) return unitsOf(String(value.number))
  if (value.kind !== valueKind.text || value.end - value.start > 64) return undefined
  return unitsOf(wireText(span.source, value.start, value.end))
}

/** The sum of all parts as `total`, unless there is one or the sum leaves the type. */
function withTotal(amounts: Amounts, max: bigint): Amounts {
  if (amounts.length === 0) return amounts
  let sum = 0
  let exact = true
  for (let i = 0; i < amounts.length; i++) {
    const { name, units } = amounts[i]!
    if (isTotal(name)) return amounts
    if (typeof units === 'number') sum += units
    else exact = false
  }
  if (exact && sum <= Number.MAX_SAFE_INTEGER) return [...amounts, { name: total, units: sum }]
  const exactSum = amounts.reduce((all, { units }) => all + BigInt(units), 0n)
  return exactSum > max ? amounts : [...amounts, { name: total, units: exactSum }]
}

const isTotal = ({ bytes }: ByteSource) => bytes.length === total.bytes.length && bytes.every((byte, i) => byte === total.bytes[i])
