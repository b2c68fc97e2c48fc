// Writes the columns of tokens and costs. The client sends these values, or the server computes them.
import { type BlockBuilder, NullableStringColumn, NumberMapColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import type { Amounts } from '@svc-server/pricing/amounts'
import type { Enrichment } from '@svc-server/pricing/enrich'
import type { Spelling } from '@svc-server/pricing/model-spellings'
import { cell } from '@svc-server/pricing/usage-cells'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import type { AmountsRule } from '../rules/amounts-rule.ts'
import { findFirst, firstOf, forColumn, type Rule } from '../rules/rules.ts'
import { isAsSaid, type UsageRule } from '../rules/usage-rules.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { CatalogLookup } from './catalog-lookup.ts'
import type { ColumnWriter } from './column-writer.ts'
import type { UserMetadata } from './metadata/user-metadata.ts'
import { repeatsChildren } from './repeats.ts'
import { noteUsage } from './usage/note-usage.ts'
import { PricedSpan } from './usage/priced-span.ts'

const totalAlone = 1 << cell.total

/** A computed cost never replaces a cost that the client sent. */
const costRules = (rules: readonly AmountsRule[], { providedCosts }: PricedSpan): readonly Rule<true>[] =>
  forColumn(
    'cost_details',
    rules.map(({ name, read }) => ({ name, read: span => (read(span, providedCosts) ? true : undefined) })),
  )

function usageRules(rules: readonly UsageRule[], facts: PricedSpan): readonly Rule<true>[] {
  const { counts, usage } = facts
  const read = (rule: UsageRule, span: SpanView): boolean => {
    facts.said = isAsSaid(rule) ? null : counts
    if (isAsSaid(rule)) return rule.read(span, usage)
    counts.clear()
    if (!rule.counts(span, counts)) return false
    // The usage of an embedding has no output. If the span reports only a total, the total is therefore the input.
    if (span.type === 'EMBEDDING' && counts.cells === totalAlone)
      counts.fill(cell.input, counts.units[cell.total]!, counts.sources[cell.total]!)
    return true
  }
  return forColumn(
    'usage_details',
    rules.map(rule => ({ name: rule.name, read: span => (read(rule, span) ? true : undefined) })),
  )
}

export interface UsageColumns {
  readonly write: ColumnWriter
  /** A block stores the index of a name instead of the name. Clears the cached indexes, because each index is valid in one block only. */
  startBlock(): void
}

export function usageColumns(block: BlockBuilder, lookup: CatalogLookup, user: UserMetadata): UsageColumns {
  const providedUsage = amountsColumn(block, 'provided_usage_details')
  const usage = amountsColumn(block, 'usage_details')
  const providedCost = amountsColumn(block, 'provided_cost_details')
  const cost = amountsColumn(block, 'cost_details')
  const modelId = repeating(block.column('model_id', StringColumn))
  const tierId = repeating(block.column('usage_pricing_tier_id', NullableStringColumn))
  const tierName = repeating(block.column('usage_pricing_tier_name', NullableStringColumn))
  const facts = new PricedSpan(user)
  const usageSources = usageRules(rulesOf('usage'), facts)
  const costSources = costRules(rulesOf('cost'), facts)

  return {
    write(row, span) {
      if (repeatsChildren(span)) {
        keepUncounted(span)
        return
      }
      if (firstOf(usageSources, span) === undefined) {
        facts.usage.clear()
        facts.said = null
      }
      if (firstOf(costSources, span) === undefined) facts.providedCosts.clear()
      facts.open(span, lookup.catalog !== null)
      const priced = lookup.enricher.enrich(facts)
      span.usageIsEstimated = priced.isEstimated
      providedUsage.write(row, facts.usage)
      providedCost.write(row, facts.providedCosts)
      usage.write(row, priced.usage)
      cost.write(row, priced.costs)
      if (priced.modelId !== '') modelId(row, priced.modelId)
      if (priced.pricingTierId !== null) tierId(row, priced.pricingTierId)
      if (priced.pricingTierName !== null) tierName(row, priced.pricingTierName)
      if (span.explanation !== null) explain(span, facts, priced, lookup)
    },
    startBlock() {
      for (const column of [providedUsage, usage, providedCost, cost]) column.startBlock()
    },
  }
}

/** Records the origin of values that the span does not contain: columns derived from other columns, and values from the catalog. */
function explain(span: SpanView, facts: PricedSpan, priced: Enrichment, { catalog }: CatalogLookup): void {
  const { explanation } = span
  if (explanation === null) return
  noteUsage(span, facts, priced)
  const { usage, providedCosts } = facts
  const counted = explanation.findings.get('usage_details')
  const paid = explanation.findings.get('cost_details')
  if (counted !== undefined && usage.length > 0) explanation.found('provided_usage_details', counted.rule, counted.attributes)
  if (paid !== undefined && providedCosts.length > 0) explanation.found('provided_cost_details', paid.rule, paid.attributes)
  if (usage.length === 0 && priced.usage.length > 0) explanation.found('usage_details', 'counted by the tokenizer')
  if (providedCosts.length === 0 && priced.costs.length > 0) explanation.found('cost_details', 'prices of the catalog')
  if (priced.modelId !== '') explanation.found('model_id', modelFinding(catalog?.spelling(facts.projectId, facts.modelName)))
  if (priced.pricingTierId === null) return
  explanation.found('usage_pricing_tier_id', 'catalog')
  explanation.found('usage_pricing_tier_name', 'catalog')
}

const modelFinding = (spelling: Spelling | null | undefined): string =>
  spelling ? `catalog, as ${spelling.name}: ${spelling.changes.join(', ')}` : 'catalog'

const uncounted = [attributesOf('usage_details'), attributesOf('cost_details')]

/** An agent span repeats the usage of its children. The usage of the agent span is therefore not counted, but stays in the metadata. */
function keepUncounted(span: SpanView): void {
  for (const rules of uncounted) {
    const entry = findFirst(span, rules)
    if (entry >= 0) span.leaveOut(entry)
  }
}

/** Caches texts of the catalog as bytes. A project has few different texts, and many rows repeat them. */
function repeating(column: Pick<StringColumn, 'text'>): (row: number, text: string) => void {
  const sources = new Map<string, ReturnType<typeof sourceOf>>()
  let last = ''
  let source = sourceOf(last)
  function find(text: string): void {
    last = text
    const known = sources.get(text)
    if (known !== undefined) {
      source = known
      return
    }
    if (sources.size >= maxKnownNames) sources.clear()
    sources.set(text, (source = sourceOf(text)))
  }
  return (row, text) => {
    if (text !== last) find(text)
    column.text(row, source, 0, source.bytes.length)
  }
}

/** A client can send arbitrarily many names, so the cache needs a limit. */
const maxKnownNames = 1000

function amountsColumn(block: BlockBuilder, name: string) {
  const column = block.column(name, NumberMapColumn)
  const indexes = new Map<string, number>()
  /**
   * The usage names of the previous row, in their order. Clients report counts under the same names for every span. `indexAt` therefore
   * first compares a name with the previous row's name at the same place. `indexAt` uses `indexes` only if these two names differ.
   */
  const names: string[] = []
  const numbers: number[] = []

  function indexAt(place: number, key: string): number {
    if (names[place] === key) return numbers[place]!
    const index = indexOf(key)
    if (place < maxKnownNames) {
      names[place] = key
      numbers[place] = index
    }
    return index
  }

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
      for (let i = 0; i < length; i++) column.set(row, indexAt(i, keys[i]!), units[i]!)
    },
    startBlock() {
      indexes.clear()
      names.length = 0
    },
  }
}
