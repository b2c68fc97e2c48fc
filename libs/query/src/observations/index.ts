export { InvalidQuery } from '../invalid-query.ts'
export { listObservations } from './list.ts'
export { type PricesOf, pricesOfTiers } from './prices.ts'
export type { ObservationsQuery } from './query.ts'
