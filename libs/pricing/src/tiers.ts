// Chooses which prices of a model apply to a span: the first conditional tier whose conditions are all met, or else the default tier.
import { RE2JS } from 're2js'
import { type Amounts, plus, type Units } from './amounts.ts'
import type { OwnPrices } from './disjoint-usage.ts'
import { atScale, moneyScale, parseDecimal } from './money.ts'
import { withOwnPrices, withPartPrices } from './part-prices.ts'
import { fromPostgres } from './postgres-pattern.ts'
import type { CatalogModel, CatalogTier } from './snapshot.ts'

export type AttributeSource = 'model_parameters' | 'metadata'

/** What conditions can use. */
export interface TierFacts {
  /** Returns the text of a top-level attribute. Returns undefined if the attribute's value is not a scalar. */
  attribute(source: AttributeSource, key: string): string | undefined
}

type Condition = (usage: Amounts, facts: TierFacts) => boolean

export interface Tier {
  readonly id: string
  readonly name: string
  readonly conditions: readonly Condition[]
  /** Prices for one unit of each usage type. With a `scale` of 6, for example, a price is a number of millionths of a US dollar. */
  readonly prices: ReadonlyMap<string, Units>
  /** Prices by usage cell. If a part has no listed price, the price of its whole (such as the input or the output) applies. */
  readonly partPrices: ReadonlyMap<string, Units>
  readonly scale: number
  /**
   * Dividing a cost by this number converts the cost from the unit of the tier's prices to the unit of the cost column. Null if both units
   * are the same.
   */
  readonly divisor: bigint | null
}

export interface Tiers {
  readonly conditional: readonly Tier[]
  readonly standard: Tier | null
  /** The cells (types of usage) that have their own price (see `ownPrices` in part-prices.ts). Null if no cell has its own price. */
  readonly ownPrices: OwnPrices
}

/** Null if the usage is empty or no tier applies. */
export function tierFor({ conditional, standard }: Tiers, usage: Amounts, facts: TierFacts): Tier | null {
  if (usage.length === 0) return null
  for (let i = 0; i < conditional.length; i++) if (holds(conditional[i]!, usage, facts)) return conditional[i]!
  return standard
}

function holds({ conditions }: Tier, usage: Amounts, facts: TierFacts): boolean {
  for (let i = 0; i < conditions.length; i++) if (!conditions[i]!(usage, facts)) return false
  return conditions.length > 0
}

export interface TierContext {
  /** Reports an unusable part of the catalog. */
  warn(message: string): void
  readonly keyMatcher: KeyMatcher
}

export function compileTiers({ tiers }: CatalogModel, { warn, keyMatcher }: TierContext): Tiers {
  const standard = tiers.find(tier => tier.isDefault)
  const conditional = tiers.filter(tier => !tier.isDefault).sort((a, b) => a.priority - b.priority)
  const compiled = {
    standard: standard === undefined ? null : compileTier(standard, [], warn),
    conditional: conditional.map(tier =>
      compileTier(
        tier,
        tier.conditions.map(condition =>
          compileCondition(condition, { keyMatcher, warn: message => warn(`tier ${tier.name}: ${message}`) }),
        ),
        warn,
      ),
    ),
  }
  const all = compiled.standard === null ? compiled.conditional : [compiled.standard, ...compiled.conditional]
  return withOwnPrices(
    compiled,
    all.map(({ prices }) => prices),
  )
}

/** Maximum decimal places of a price. Further places would add less than 1e-12 USD to the price of 10^18 tokens. */
const maxScale = 30

function compileTier(tier: CatalogTier, conditions: readonly Condition[], warn: (message: string) => void): Tier {
  const parsed = Object.entries(tier.prices).flatMap(([key, text]) => {
    const price = parseDecimal(text)
    if (price !== undefined && price.units >= 0n) return [[key, price] as const]
    warn(`tier ${tier.name}: the price of ${key} is not a decimal number of at least 0`)
    return []
  })
  const scale = Math.min(
    maxScale,
    parsed.reduce((largest, [, price]) => Math.max(largest, price.scale), moneyScale),
  )
  const prices = new Map<string, Units>()
  for (const [key, price] of parsed) {
    const units = atScale(price, scale)
    prices.set(key, units <= Number.MAX_SAFE_INTEGER ? Number(units) : units)
  }
  const divisor = scale === moneyScale ? null : 10n ** BigInt(scale - moneyScale)
  return withPartPrices({ id: tier.id, name: tier.name, conditions, prices, scale, divisor })
}

type Compare = (sum: Units, value: number) => boolean
const operators: Readonly<Record<string, Compare>> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
  // `===` would distinguish a bigint from an equal number.
  eq: (a, b) => a >= b && a <= b,
  neq: (a, b) => a < b || a > b,
}
const ownValue = <T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined

const never: Condition = () => false
const maxConditionPattern = 200
const maxKey = 200

/** An invalid condition is never met. */
function compileCondition(value: unknown, { warn, keyMatcher }: TierContext): Condition {
  const invalid = (message: string): Condition => {
    warn(message)
    return never
  }
  if (typeof value !== 'object' || value === null) return invalid('a condition is not an object')
  if ('usageDetailPattern' in value) return usageCondition(value as Record<string, unknown>, keyMatcher, invalid)
  if ('source' in value) return attributeCondition(value as Record<string, unknown>, invalid)
  return invalid('a condition has an unknown kind')
}

function usageCondition(condition: Record<string, unknown>, keyMatcher: KeyMatcher, invalid: (message: string) => Condition): Condition {
  const { usageDetailPattern: pattern, operator, value, caseSensitive = false } = condition
  const compare = ownValue(operators, operator)
  if (typeof pattern !== 'string' || pattern.length === 0 || pattern.length > maxConditionPattern)
    return invalid('a usage pattern does not have 1 to 200 characters')
  if (compare === undefined || typeof value !== 'number' || !(value >= 0)) return invalid('a usage condition has no valid comparison')
  const matcher = keyMatcher(pattern, caseSensitive !== true)
  if (typeof matcher === 'string') return invalid(`a usage pattern is refused: ${matcher}`)
  return usage => {
    let sum: Units = 0
    for (let i = 0; i < usage.length; i++) if (matcher(usage.keys[i]!)) sum = plus(sum, usage.units[i]!)
    return compare(sum, value)
  }
}

/** Returns a function that tests a usage type. If the pattern is invalid, returns the reason as a text. */
export type KeyMatcher = (pattern: string, ignoreCase: boolean) => ((key: string) => boolean) | string

/**
 * The conditions of most tiers have the same pattern. Each pattern is therefore compiled only once, and each result for a usage type is
 * remembered.
 */
export function createKeyMatcher(): KeyMatcher {
  const compiled = new Map<string, ReturnType<KeyMatcher>>()
  return (pattern, ignoreCase) => {
    const translated = fromPostgres(pattern, ignoreCase)
    if (!translated.ok) return translated.message
    let matcher = compiled.get(translated.pattern)
    if (matcher === undefined) compiled.set(translated.pattern, (matcher = compileKeyPattern(translated.pattern)))
    return matcher
  }
}

function compileKeyPattern(pattern: string): ReturnType<KeyMatcher> {
  try {
    return remembered(RE2JS.compile(pattern))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Maximum number of remembered usage types. A client can invent any number of them. */
const maxRemembered = 1_000

function remembered(pattern: RE2JS): (key: string) => boolean {
  const known = new Map<string, boolean>()
  return key => {
    let matches = known.get(key)
    if (matches === undefined) {
      if (known.size >= maxRemembered) known.clear()
      known.set(key, (matches = pattern.test(key)))
    }
    return matches
  }
}

function attributeCondition(condition: Record<string, unknown>, invalid: (message: string) => Condition): Condition {
  const { source, key, operator, values } = condition
  if (source !== 'model_parameters' && source !== 'metadata') return invalid('an attribute condition has an unknown source')
  if (typeof key !== 'string' || key.length === 0 || key.length > maxKey) return invalid('an attribute condition has no key')
  if (operator !== 'in' || !Array.isArray(values) || values.length === 0) return invalid('an attribute condition has no list of values')
  const wanted = new Set(values.map(String))
  return (_, facts) => {
    const found = facts.attribute(source, key)
    return found !== undefined && wanted.has(found)
  }
}
