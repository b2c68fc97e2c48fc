// Tokens and money: as the client counted them, and with what is computed from them.
import { type BlockBuilder, NumberMapColumn, sourceOf } from '@svc-server/column-store/native'
import { isAggregate } from '../dialects/gen-ai.ts'
import { Amounts, plus, type Units } from '../pricing/amounts.ts'
import { findFirst, firstOf } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { costDetailRules, createCostSources } from '../usage/cost-sources.ts'
import { countOf } from '../usage/units.ts'
import { createUsageSources, usageDetailRules } from '../usage/usage-sources.ts'
import type { ColumnWriter } from './column-writer.ts'

export interface UsageColumns {
  readonly write: ColumnWriter
  /** Numbers of names are of one block only. */
  startBlock(): void
}

export function usageColumns(block: BlockBuilder): UsageColumns {
  const providedUsage = amountsColumn(block, 'provided_usage_details')
  const usage = amountsColumn(block, 'usage_details')
  const providedCost = amountsColumn(block, 'provided_cost_details')
  const cost = amountsColumn(block, 'cost_details')
  const counted = new Amounts()
  const paid = new Amounts()
  const usageSources = createUsageSources(counted)
  const costSources = createCostSources(paid)

  return {
    write(row, span) {
      if (isAggregate(span)) {
        keepUncounted(span)
        return
      }
      if (firstOf(usageSources, span) !== undefined) {
        providedUsage.write(row, counted)
        addTotal(counted)
        usage.write(row, counted)
      }
      if (firstOf(costSources, span) !== undefined) {
        providedCost.write(row, paid)
        cost.write(row, paid)
      }
    },
    startBlock() {
      for (const column of [providedUsage, usage, providedCost, cost]) column.startBlock()
    },
  }
}

/** What the SDK says about an agent's span repeats its children: not counted, but not lost either. */
function keepUncounted(span: SpanView): void {
  for (const rules of [usageDetailRules, costDetailRules]) {
    const entry = findFirst(span, rules)
    if (entry >= 0) span.leaveOut(entry)
  }
}

function addTotal(amounts: Amounts): void {
  if (amounts.length === 0 || amounts.indexOf('total') >= 0) return
  let sum: Units = 0
  for (let i = 0; i < amounts.length; i++) sum = plus(sum, amounts.units[i]!)
  const total = countOf(sum)
  if (total !== undefined) amounts.add('total', total)
}

/** Names that are kept with their number; a client can send any number of others. */
const maxKnownNames = 1000

function amountsColumn(block: BlockBuilder, name: string) {
  const column = block.column(name, NumberMapColumn)
  const indexes = new Map<string, number>()

  function indexOf(key: string): number {
    const known = indexes.get(key)
    if (known !== undefined) return known
    const source = sourceOf(key)
    const index = column.keyIndexOf(source, 0, source.bytes.length)
    if (indexes.size < maxKnownNames) indexes.set(key, index)
    return index
  }

  return {
    write(row: number, { length, keys, units }: Amounts): void {
      for (let i = 0; i < length; i++) column.set(row, indexOf(keys[i]!), units[i]!)
    },
    startBlock: () => indexes.clear(),
  }
}
