// The step from what a span says to what it used, what that costs and by which model and tier. One object for
// all spans: nothing is allocated on the way.
import { Amounts } from './amounts.ts'
import type { Catalogue, MatchedModel } from './catalogue.ts'
import { completeUsage, computeCosts, takeCosts, totalMismatch } from './cost.ts'
import { disjointUsage } from './disjoint-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { type Tier, type TierFacts, tierFor } from './tiers.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * What the mapping knows of a span. One object, filled again for every span; texts and attributes are asked
 * for only when they decide something.
 */
export interface SpanFacts extends TierFacts {
  readonly projectId: string
  /** Empty: none was named. */
  readonly modelName: string
  readonly startTimeUs: number
  /** The span failed: its texts are no completion to be counted. */
  readonly isError: boolean
  /** Its tokens may be counted if the client did not. */
  readonly isCountable: boolean
  /**
   * Counts by usage type: whole numbers of 0 or more within UInt64. Where there is `said`, it is filled with
   * what follows from that.
   */
  readonly usage: Amounts
  /** Counts that instrumentations say, to be made disjoint; none: `usage` is what the client's own code says. */
  readonly said?: SaidUsage | null
  /** Units of money by usage type, within the column's range (`storableMoney`). Empty: no cost was given. */
  readonly providedCosts: Amounts
  /** Undefined: the span has none. */
  text(side: 'input' | 'output'): string | undefined
}

/** The result for the last span; the next call overwrites it. */
export interface Enrichment {
  readonly usage: Amounts
  readonly costs: Amounts
  /** The usage was counted here. */
  readonly isEstimated: boolean
  /** Empty: no model of the catalogue matches. */
  readonly modelId: string
  readonly pricingTierId: string | null
  readonly pricingTierName: string | null
  /** Whose prices hold; for explanations. */
  readonly tier: Tier | null
}

export interface EnrichmentCounts {
  /** Spans with a model name that means nothing to the catalogue. */
  unknownModel: number
  /** Spans whose parts exceed their total. */
  totalMismatch: number
  /** Amounts of money beyond the column's range. */
  costClamped: number
  /** Spans whose tokens were counted here. */
  tokenised: number
  /**
   * Spans whose tokens should have been counted, but a text is too long, or too much of the record lies
   * before it.
   */
  tokenisationSkipped: number
}

export interface Enricher {
  enrich(span: SpanFacts): Enrichment
  readonly counts: Readonly<EnrichmentCounts>
}

/** Tier and costs of a usage that is complete. */
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

export function createEnricher(catalogue: Catalogue, tokenCounter: TokenCounter): Enricher {
  const result = new Result()
  const counts: EnrichmentCounts = { unknownModel: 0, totalMismatch: 0, costClamped: 0, tokenised: 0, tokenisationSkipped: 0 }
  const onClamp = () => {
    counts.costClamped++
  }

  function enrich(span: SpanFacts): Enrichment {
    result.clear()
    const { modelName, usage, providedCosts, said } = span
    if (said != null) usage.clear()
    if (modelName.length === 0 && said == null && usage.length === 0 && providedCosts.length === 0) return result
    const model = modelName.length === 0 ? null : catalogue.match(span.projectId, modelName, span.startTimeUs)
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

  /** Both sides or none: half a count would be a wrong total. */
  function countTokens({ tokenizer }: MatchedModel, span: SpanFacts): void {
    if (tokenizer === null) return
    const input = span.text('input')
    const output = span.text('output')
    if (input === undefined && output === undefined) return
    if (!span.isCountable) {
      counts.tokenisationSkipped++
      return
    }
    const inputTokens = input === undefined ? undefined : tokenCounter.count(tokenizer, input)
    const outputTokens = output === undefined ? undefined : tokenCounter.count(tokenizer, output)
    if ((input !== undefined && inputTokens === undefined) || (output !== undefined && outputTokens === undefined)) {
      counts.tokenisationSkipped++
      return
    }
    counts.tokenised++
    result.isEstimated = true
    if (inputTokens !== undefined) result.usage.add('input', inputTokens)
    if (outputTokens !== undefined) result.usage.add('output', outputTokens)
    const total = (inputTokens ?? 0) + (outputTokens ?? 0)
    if (total > 0) result.usage.add('total', total)
  }

  return { enrich, counts }
}
