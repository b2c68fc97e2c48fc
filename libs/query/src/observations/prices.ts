// Adds prices to observations. The prices are those of the model's default tier, in US dollars per unit, as decimal texts.
import { observationFields } from '../fields/catalog.ts'
import { e, eventsCore } from '../fields/events.ts'
import type { TextField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import { compares } from '../filter/predicate.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { type Reads, read, select, versionsIn } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

export interface ModelPrices {
  readonly inputPrice: string | null
  readonly outputPrice: string | null
  readonly totalPrice: string | null
}

export interface ObservationPrices extends ModelPrices {
  readonly modelId: string | null
}

/** A model that is missing in the result has no prices. */
export type PricesOf = (projectId: string, modelIds: readonly string[]) => Promise<ReadonlyMap<string, ModelPrices>>

export const noPrices: ObservationPrices = { modelId: null, inputPrice: null, outputPrice: null, totalPrice: null }

interface PricedTier {
  readonly isDefault: boolean
  /** Maps a usage type to its price. */
  readonly prices: Readonly<Record<string, string>>
}

export function pricesOfTiers(tiers: readonly PricedTier[]): ModelPrices {
  const prices = tiers.find(({ isDefault }) => isDefault)?.prices ?? {}
  const price = (usage: string) => (Object.hasOwn(prices, usage) ? (prices[usage] ?? null) : null)
  return { inputPrice: price('input'), outputPrice: price('output'), totalPrice: price('total') }
}

const isModelId = (field: { readonly id: string; readonly kind: string }): field is TextField =>
  field.id === 'modelId' && field.kind === 'text'
const modelId = observationFields.find(isModelId)

/**
 * Replaces each condition on a price with a condition on the model id, which lists the models whose price meets the condition on the price.
 * Throws a `column_store_*` error, or the abort signal's reason.
 */
export async function withoutPrices(
  columnStore: Reads,
  { conditions, scope, bounds }: { readonly conditions: readonly Condition[]; readonly scope: Scope; readonly bounds: Bounds },
  pricesOf: PricesOf,
): Promise<readonly Condition[]> {
  if (conditions.every(({ is }) => is !== 'price')) return conditions
  if (modelId === undefined) throw new TypeError('The catalog of fields has no modelId')
  const found = await read(columnStore, select(versionsIn(eventsCore, scope), { id: e.model_id }, { groupBy: [sql`id`] }), bounds)
  const ids = found.map(({ id }) => id)
  const known = ids.filter(id => id !== '')
  const prices = known.length === 0 ? new Map<string, ModelPrices>() : await pricesOf(scope.project, known)
  return conditions.map((condition): Condition => {
    if (condition.is !== 'price') return condition
    const { field, than, isNull } = condition
    const values = ids.filter(id => {
      const price = prices.get(id)?.[field.price] ?? null
      return than === undefined ? (price === null) === isNull : compares(price === null ? null : Number(price), than.operator, than.value)
    })
    return { is: 'options', field: modelId, operator: 'any of', values }
  })
}
