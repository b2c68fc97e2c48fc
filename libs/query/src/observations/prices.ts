// Prices of the models of observations: of the default tier of the matched model, US dollars for one unit as decimal texts.

export interface ModelPrices {
  readonly inputPrice: string | null
  readonly outputPrice: string | null
  readonly totalPrice: string | null
}

export interface ObservationPrices extends ModelPrices {
  readonly modelId: string | null
}

/** By id of the model; those that are not there have none. */
export type PricesOf = (projectId: string, modelIds: readonly string[]) => Promise<ReadonlyMap<string, ModelPrices>>

export const noPrices: ObservationPrices = { modelId: null, inputPrice: null, outputPrice: null, totalPrice: null }

interface PricedTier {
  readonly isDefault: boolean
  /** Usage type → price. */
  readonly prices: Readonly<Record<string, string>>
}

/** Of the tiers of a model, as the catalogue has them. */
export function pricesOfTiers(tiers: readonly PricedTier[]): ModelPrices {
  const prices = tiers.find(({ isDefault }) => isDefault)?.prices ?? {}
  const price = (usage: string) => (Object.hasOwn(prices, usage) ? (prices[usage] ?? null) : null)
  return { inputPrice: price('input'), outputPrice: price('output'), totalPrice: price('total') }
}
