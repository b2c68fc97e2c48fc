export { listObservations } from './list.ts'
export { pricesOfTiers } from './prices.ts'
export type { ObservationsQuery } from './query.ts'
