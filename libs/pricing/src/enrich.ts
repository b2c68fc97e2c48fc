// Determines a span's usage, cost, model and tier. All spans use one result object, so that enrichment allocates no memory.
import { Amounts } from './amounts.ts'
import type { Catalog, MatchedModel } from './catalog.ts'
import { completeUsage, computeCosts, takeCosts, totalMismatch } from './cost.ts'
import { disjointUsage } from './disjoint-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { type Tier, type TierFacts, tierFor } from './tiers.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * The facts that the mapping passes to enrichment about a span. The mapping uses the same object for all spans. Enrichment reads the texts
 * and attributes only if the result depends on them.
 */
export interface SpanFacts extends TierFacts {
  readonly projectId: string
  /** Empty if the span reports no model. */
  readonly modelName: string
  readonly startTimeUs: number
  /** The texts of a failed span are not a complete response, so their tokens are not counted. */
  readonly isError: boolean
  /** True if the server can count the tokens that the client did not count. */
  readonly isCountable: boolean
  /**
   * The count of each usage type, an integer from 0 to the maximum of UInt64. If `said` is set, `enrich` replaces these counts with counts
   * that it computes from `said`.
   */
  readonly usage: Amounts
  /**
   * Counts that an instrumentation reports. Enrichment makes these counts disjoint. If `said` is set but has no counts, the span has no
   * usage, and its texts are not counted. If `said` is null or absent, the counts in `usage` come from the client's own code.
   */
  readonly said?: SaidUsage | null
  /** Costs from the client, by usage type, in units of money (`storableMoney`). */
  readonly providedCosts: Amounts
  /** Returns the text of the input or output, or undefined if the span has none. */
  text(side: 'input' | 'output'): string | undefined
}

/** The result of `enrich`. The next call of `enrich` overwrites it. */
export interface Enrichment {
  readonly usage: Amounts
  readonly costs: Amounts
  /** The server counted the tokens. */
  readonly isEstimated: boolean
  /** Empty without a matching model. */
  readonly modelId: string
  readonly pricingTierId: string | null
  readonly pricingTierName: string | null
  /** Only explanations use the tier. */
  readonly tier: Tier | null
}

export interface EnrichmentCounts {
  /** Spans whose model name is not in the catalog. */
  unknownModel: number
  /** Spans whose usage parts add up to more than the total. */
  totalMismatch: number
  /** Amounts of money outside the cost column's range. */
  costClamped: number
  /** Spans whose tokens the server counted. */
  tokenized: number
  /** Spans whose tokens were not counted, because `isCountable` is false, or because the token counter could not count a text. */
  tokenizationSkipped: number
}

export interface Enricher {
  enrich(span: SpanFacts): Enrichment
  readonly counts: Readonly<EnrichmentCounts>
}

function price(model: MatchedModel | null, span: SpanFacts, result: Result, onClamp: () => void): void {
  const tier = model === null ? null : tierFor(model.tiers, result.usage, span)
  result.tier = tier
  result.pricingTierId = tier?.id ?? null
  result.pricingTierName = tier?.name ?? null
  if (span.providedCosts.length > 0) takeCosts(span.providedCosts, result.costs, onClamp)
  else if (tier !== null) computeCosts(result.usage, tier, span.said != null, result.costs, onClamp)
}

class Result implements Enrichment {
  readonly usage = new Amounts()
  readonly costs = new Amounts()
  isEstimated = false
  modelId = ''
  pricingTierId: string | null = null
  pricingTierName: string | null = null
  tier: Tier | null = null

  clear(): void {
    this.usage.clear()
    this.costs.clear()
    this.isEstimated = false
    this.modelId = ''
    this.pricingTierId = null
    this.pricingTierName = null
    this.tier = null
  }
}

export function createEnricher(catalog: Catalog, tokenCounter: TokenCounter): Enricher {
  const result = new Result()
  const counts: EnrichmentCounts = { unknownModel: 0, totalMismatch: 0, costClamped: 0, tokenized: 0, tokenizationSkipped: 0 }
  const onClamp = () => {
    counts.costClamped++
  }

  function enrich(span: SpanFacts): Enrichment {
    result.clear()
    const { modelName, usage, providedCosts, said } = span
    if (said != null) usage.clear()
    if (modelName.length === 0 && said == null && usage.length === 0 && providedCosts.length === 0) return result
    const model = modelName.length === 0 ? null : catalog.match(span.projectId, modelName, span.startTimeUs)
    if (model !== null) result.modelId = model.id
    else if (modelName.length > 0) counts.unknownModel++
    if (said != null) disjointUsage(said, model?.tiers.ownPrices ?? null, usage)

    if (usage.length > 0) {
      completeUsage(usage, result.usage)
      if (totalMismatch(result.usage)) counts.totalMismatch++
    } else if (said == null && model !== null && providedCosts.length === 0 && !span.isError) countTokens(model, span)

    price(model, span, result, onClamp)
    return result
  }

  /** If input or output cannot be counted, the span gets no counts, because its total would be wrong. */
  function countTokens({ tokenizer }: MatchedModel, span: SpanFacts): void {
    if (tokenizer === null) return
    const input = span.text('input')
    const output = span.text('output')
    if (input === undefined && output === undefined) return
    if (!span.isCountable) {
      counts.tokenizationSkipped++
      return
    }
    const inputTokens = input === undefined ? undefined : tokenCounter.count(tokenizer, input)
    const outputTokens = output === undefined ? undefined : tokenCounter.count(tokenizer, output)
    if ((input !== undefined && inputTokens === undefined) || (output !== undefined && outputTokens === undefined)) {
      counts.tokenizationSkipped++
      return
    }
    counts.tokenized++
    result.isEstimated = true
    if (inputTokens !== undefined) result.usage.add('input', inputTokens)
    if (outputTokens !== undefined) result.usage.add('output', outputTokens)
    const total = (inputTokens ?? 0) + (outputTokens ?? 0)
    if (total > 0) result.usage.add('total', total)
  }

  return { enrich, counts }
}
