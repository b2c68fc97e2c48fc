// Rules for the price tiers of a model (contract §18.5).
import { AppError } from '@svc-server/errors'

export interface ModelTier {
  readonly name: string
  readonly isDefault: boolean
  readonly priority: number
  /** Conditions in the form of the API. */
  readonly conditions: readonly unknown[]
  /** Decimal texts by usage type. */
  readonly prices: Readonly<Record<string, string>>
}

/** Creates the tier for prices that are given without tiers. */
export const standardTier = (prices: ModelTier['prices']): ModelTier => ({
  ...{ name: 'Standard', isDefault: true, priority: 0, conditions: [], prices },
})

const keysOf = ({ prices }: ModelTier) => Object.keys(prices).sort().join('\n')

function invalidity(tiers: readonly ModelTier[]): string | undefined {
  const [first, ...more] = tiers.filter(tier => tier.isDefault)
  if (first === undefined || more.length > 0) return 'Exactly one tier must be the default.'
  if (first.priority !== 0 || first.conditions.length > 0) return 'The default tier must have priority 0 and no conditions.'
  if (tiers.some(tier => !tier.isDefault && tier.conditions.length === 0)) return 'Each tier except the default tier needs a condition.'
  if (new Set(tiers.map(({ name }) => name)).size < tiers.length) return 'Names of tiers must be unique.'
  if (new Set(tiers.map(({ priority }) => priority)).size < tiers.length) return 'Priorities of tiers must be unique.'
  if (Object.keys(first.prices).length === 0) return 'A tier needs a price.'
  return tiers.every(tier => keysOf(tier) === keysOf(first))
    ? undefined
    : 'All tiers must have prices for the usage types of the default tier.'
}

/** Throws `bad_request`, naming the broken rule. */
export function requireValidTiers(tiers: readonly ModelTier[]): void {
  const reason = invalidity(tiers)
  if (reason !== undefined) throw new AppError('bad_request', reason)
}
