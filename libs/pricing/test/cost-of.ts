// Computes the usage and cost of a span that a test case describes. The result has plain JavaScript values instead of `Amounts`.
import { Amounts } from '../src/amounts.ts'
import type { Catalog } from '../src/catalog.ts'
import { createEnricher, type EnrichmentCounts, type SpanFacts } from '../src/enrich.ts'
import { moneyText } from '../src/money.ts'
import type { AttributeSource } from '../src/tiers.ts'
import type { TokenCounter } from '../src/token-counter.ts'
import { type ProvidedCounts, providedCounts, readCosts, readUsage } from './provided.ts'

export interface CostQuestion {
  readonly projectId: string
  readonly modelName?: string
  readonly startTimeUs?: number
  readonly isError?: boolean
  /** Any JSON value. An invalid usage is allowed. */
  readonly usageDetails?: unknown
  readonly costDetails?: unknown
  readonly input?: string
  readonly output?: string
  readonly attributes?: Readonly<Partial<Record<AttributeSource, Readonly<Record<string, string>>>>>
}

export interface CostAnswer {
  readonly usageDetails: Readonly<Record<string, bigint>>
  /** Amounts in USD, as decimal texts. */
  readonly costDetails: Readonly<Record<string, string>>
  readonly totalCost: string | null
  readonly modelId: string | null
  readonly pricingTierId: string | null
  readonly pricingTierName: string | null
  readonly counts: EnrichmentCounts & ProvidedCounts
}

/** This function never throws. */
export function costOf(catalog: Catalog, tokenCounter: TokenCounter, question: CostQuestion): CostAnswer {
  const counts = providedCounts()
  const usage = new Amounts()
  const providedCosts = new Amounts()
  readUsage(question.usageDetails, usage, counts)
  readCosts(question.costDetails, providedCosts, counts)
  const facts: SpanFacts = {
    projectId: question.projectId,
    modelName: question.modelName ?? '',
    startTimeUs: question.startTimeUs ?? 0,
    isError: question.isError ?? false,
    isCountable: true,
    usage,
    providedCosts,
    text: side => question[side],
    attribute: (source, key) => {
      const values = question.attributes?.[source]
      return values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined
    },
  }
  const enricher = createEnricher(catalog, tokenCounter)
  const { usage: complete, costs, modelId, pricingTierId, pricingTierName } = enricher.enrich(facts)
  const total = costs.indexOf('total')
  return {
    usageDetails: complete.toObject(),
    costDetails: Object.fromEntries(costs.keys.slice(0, costs.length).map((key, i) => [key, moneyText(costs.units[i]!)])),
    totalCost: total < 0 ? null : moneyText(costs.units[total]!),
    modelId: modelId === '' ? null : modelId,
    pricingTierId,
    pricingTierName,
    counts: { ...enricher.counts, ...counts },
  }
}
