// Computes usage, cost, model, and tier of a span from its reported facts. The same result object is reused for all spans, so that
// enrichment allocates no memory.
import { Amounts } from './amounts.ts'
import type { Catalog, MatchedModel } from './catalog.ts'
import { completeUsage, computeCosts, takeCosts, totalMismatch } from './cost.ts'
import { disjointUsage } from './disjoint-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { type Tier, type TierFacts, tierFor } from './tiers.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Facts about a span, which the mapping provides. The caller reuses one object for every span. Texts and attributes are read only when the
 * result depends on them.
 */
export interface SpanFacts extends TierFacts {
  readonly projectId: string
  /** Model name that the span reports; empty if the span names no model. */
  readonly modelName: string
  readonly startTimeUs: number
  /** True if the span failed, so that its texts are not a completion whose tokens count. */
  readonly isError: boolean
  /** True if the server may count the tokens of the span when the client did not. */
  readonly isCountable: boolean
  /** Counts by usage type, which are nonnegative integers within UInt64. If `said` is present, enrichment fills `usage` from `said`. */
  readonly usage: Amounts
  /**
   * Counts that an instrumentation reports and that enrichment makes disjoint. Without `said`, `usage` comes from the client's own code.
   */
  readonly said?: SaidUsage | null
  /**
   * Costs that the client gave, in units of money by usage type, within the column's range (`storableMoney`). Empty if the client gave no
   * cost.
   */
  readonly providedCosts: Amounts
  /** Returns the input or output text; undefined if the span has no such text. */
  text(side: 'input' | 'output'): string | undefined
}

/** The result for the most recent span. The next call overwrites this object. */
export interface Enrichment {
  readonly usage: Amounts
  readonly costs: Amounts
  /** True if the server counted the tokens of the span. */
  readonly isEstimated: boolean
  /** Id of the matching model; empty if no model of the catalog matches. */
  readonly modelId: string
  readonly pricingTierId: string | null
  readonly pricingTierName: string | null
  /** The tier whose prices apply, which explanations show. */
  readonly tier: Tier | null
}

export interface EnrichmentCounts {
  /** Number of spans whose model name the catalog does not know. */
  unknownModel: number
  /** Number of spans whose usage parts exceed their total. */
  totalMismatch: number
  /** Number of money amounts that exceeded the range of the column. */
  costClamped: number
  /** Number of spans whose tokens the server counted. */
  tokenized: number
  /**
   * Number of spans whose tokens the server did not count although it should have, because a text is too long or lies too far into the
   * record.
   */
  tokenizationSkipped: number
}

export interface Enricher {
  enrich(span: SpanFacts): Enrichment
  readonly counts: Readonly<EnrichmentCounts>
}

/** Sets the tier and the costs for a complete usage. */
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
    } else if (model !== null && providedCosts.length === 0 && !span.isError) countTokens(model, span)

    price(model, span, result, onClamp)
    return result
  }

  /** Counts the tokens of input and output. If one text cannot be counted, the span gets no counts, because the total would be wrong. */
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
