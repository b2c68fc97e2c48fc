// Determines usage and cost of a merged observation, with the same catalog and the same rules as for spans.
import type { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { countOfJson } from '@svc-server/observations/counts'
import { MemberTexts, parseJson } from '@svc-server/observations/json-text'
import { Amounts, type Units } from '@svc-server/pricing/amounts'
import type { SpanFacts } from '@svc-server/pricing/enrich'
import { metadataEntries } from '../metadata.ts'
import { type EntityState, type FieldName, saidValue } from '../state.ts'
import { moneyOfJson } from '../usage.ts'
import type { AmountPairs, UsageColumns } from './tables.ts'

export interface Priced {
  readonly usage: UsageColumns
  /** Null if no model matches. */
  readonly modelId: string | null
  readonly totalCost: Units | null
  /** True if the server counted the tokens, because the client sent no counts. */
  readonly isEstimated: boolean
}

/** The server counts tokens only if input and output together have at most this many characters. Spans have a similar limit in bytes. */
const countedCharacters = 512 * 1024

/** All observations share one instance. */
class PricedEntity implements SpanFacts {
  readonly usage = new Amounts()
  readonly providedCosts = new Amounts()
  projectId = ''
  modelName = ''
  startTimeUs = 0
  isError = false
  isCountable = true
  #state!: EntityState
  readonly #parameters = new MemberTexts()

  open(projectId: string, startMs: number, state: EntityState): void {
    this.#state = state
    this.#parameters.clear()
    this.projectId = projectId
    this.modelName = saidValue(state, 'model') ?? ''
    this.startTimeUs = startMs * 1000
    this.isError = saidValue(state, 'level') === 'ERROR'
    this.isCountable = (this.text('input')?.length ?? 0) + (this.text('output')?.length ?? 0) <= countedCharacters
    readAmounts(state, 'usage', countOfJson, this.usage)
    readAmounts(state, 'cost', moneyOfJson, this.providedCosts)
  }

  text(side: 'input' | 'output'): string | undefined {
    return saidValue(this.#state, side) ?? undefined
  }

  attribute(source: Parameters<SpanFacts['attribute']>[0], key: string): string | undefined {
    if (source === 'metadata') return metadataEntries(this.#state.metadata).find(([name]) => name === key)?.[1]
    return this.#parameters.get(key, () => saidValue(this.#state, 'modelParameters') ?? '')
  }
}

function readAmounts(state: EntityState, field: FieldName, read: (value: unknown) => Units | undefined, into: Amounts): void {
  into.clear()
  const pairs = parseJson(saidValue(state, field) ?? '')
  if (!Array.isArray(pairs)) return
  for (const pair of pairs as readonly unknown[]) {
    const [name, text] = Array.isArray(pair) ? (pair as readonly unknown[]) : []
    const units = read(text)
    if (typeof name === 'string' && units !== undefined) into.add(name, units)
  }
}

const pairsOf = ({ length, keys, units }: Amounts): AmountPairs => keys.slice(0, length).map((key, i) => [key, units[i]!] as const)

export function createPricing(lookup: CatalogLookup) {
  const facts = new PricedEntity()
  return (projectId: string, startMs: number, state: EntityState): Priced => {
    facts.open(projectId, startMs, state)
    const { usage, costs, isEstimated, modelId, pricingTierId, pricingTierName } = lookup.enricher.enrich(facts)
    const total = costs.indexOf('total')
    return {
      usage: {
        provided_usage_details: pairsOf(facts.usage),
        usage_details: pairsOf(usage),
        provided_cost_details: pairsOf(facts.providedCosts),
        cost_details: pairsOf(costs),
        usage_pricing_tier_id: pricingTierId,
        usage_pricing_tier_name: pricingTierName,
      },
      modelId: modelId === '' ? null : modelId,
      isEstimated,
      totalCost: total < 0 ? null : costs.units[total]!,
    }
  }
}
