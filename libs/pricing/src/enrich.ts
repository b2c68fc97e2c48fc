// Determines a span's usage, cost, model and tier from the facts that the span reports. All spans use one result object, so that enrichment
// allocates no memory.
import { Amounts } from './amounts.ts'
import type { Catalog, MatchedModel } from './catalog.ts'
import { completeUsage, computeCosts, takeCosts, totalMismatch } from './cost.ts'
import { disjointUsage } from './disjoint-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { type Tier, type TierFacts, tierFor } from './tiers.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Facts that the mapping provides about a span. The caller reuses one object for all spans. Texts and attributes are read only if the
 * result depends on them.
 */
export interface SpanFacts extends TierFacts {
  readonly projectId: string
  /** The model name that the span reports; empty if it reports none. */
  readonly modelName: string
  readonly startTimeUs: number
  /** True if the span failed. The texts of a failed span are not a complete response, so their tokens are not counted. */
  readonly isError: boolean
  /** True if the server can count tokens that the client did not count. */
  readonly isCountable: boolean
  /**
   * Counts by usage type: integers from 0 to the maximum of UInt64. If `said` is set, enrichment fills `usage` with the counts from `said`.
   */
  readonly usage: Amounts
  /**
   * Counts that an instrumentation has reported. Enrichment makes them disjoint. If the instrumentation has reported no counts, the span
   * has no usage, and its texts are not counted. Without `said`, `usage` contains counts from the client's own code.
   */
  readonly said?: SaidUsage | null
  /**
   * The costs that the client sent: units of money by usage type, within the range of the column (`storableMoney`). Empty if the client
   * sent no costs.
   */
  readonly providedCosts: Amounts
  /** Returns the text of the input or output; undefined if the span has none. */
  text(side: 'input' | 'output'): string | undefined
}

/** The result for the last span. The next call of `enrich` overwrites the result. */
export interface Enrichment {
  readonly usage: Amounts
  readonly costs: Amounts
  /** True if the server counted the tokens of the span. */
  readonly isEstimated: boolean
  /** Id of the model that matches; empty if the catalog has no such model. */
  readonly modelId: string
  readonly pricingTierId: string | null
  readonly pricingTierName: string | null
  /** The tier whose prices were used, for explanations. */
  readonly tier: Tier | null
}

export interface EnrichmentCounts {
  /** Number of spans whose model name is not in the catalog. */
  unknownModel: number
  /** Number of spans whose usage parts add up to more than the total. */
  totalMismatch: number
  /** Number of amounts of money outside the column's range. */
  costClamped: number
  /** Number of spans whose tokens the server counted. */
  tokenized: number
  /** Number of spans whose tokens the server did not count, because a text is too long or too far into the record. */
  tokenizationSkipped: number
}

export interface Enricher {
  enrich(span: SpanFacts): Enrichment
  readonly counts: Readonly<EnrichmentCounts>
}

/** Sets the tier and the costs of a complete usage. */
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

  /**
   * Counts the tokens of input and output. If the input or the output cannot be counted, the span gets no counts at all, because its total
   * would be wrong.
   */
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
