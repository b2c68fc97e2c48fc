// What a question of a test says was used and paid, out of any JSON value. Never throws, and counts what it
// could not take as it was.
import { type Amounts, plain, type Units } from '../src/amounts.ts'
import { atScale, moneyScale, parseDecimal, storableMoney } from '../src/money.ts'

export interface ProvidedCounts {
  /** Costs outside of the column's range. */
  clamped: number
  /** Costs that are no finite number, stored as 0; usage that is no count, left out. */
  unusable: number
}

export const providedCounts = (): ProvidedCounts => ({ clamped: 0, unusable: 0 })

const maxUsage = 2n ** 64n - 1n

// Not in the compiler's library yet.
const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is { readonly rawJSON: string } }

function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  return json.isRawJSON(value) ? value.rawJSON : undefined
}

/** A whole number of 0 or more within UInt64, or a text of one; anything else is undefined. */
export function usageUnits(value: unknown): Units | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  const parsed = parseDecimal(typeof value === 'string' ? value : (digitsOf(value) ?? ''))
  if (parsed === undefined) return undefined
  const units = atScale(parsed, 0)
  if (units < 0n || units > maxUsage || atScale({ units, scale: 0 }, parsed.scale) !== parsed.units) return undefined
  return plain(units)
}

/**
 * The column's units of a cost. What is no finite number is 0, and so is a text: cost maps are maps of
 * numbers.
 */
export function costUnits(value: unknown, counts: ProvidedCounts): Units {
  const parsed = parseDecimal(digitsOf(value) ?? '')
  if (parsed === undefined) {
    counts.unusable++
    return 0
  }
  return storableMoney(plain(atScale(parsed, moneyScale)), () => counts.clamped++)
}

/** Fills `into` from a usage map. Entries that are no counts are left out. */
export function readUsage(map: unknown, into: Amounts, counts: ProvidedCounts): void {
  into.clear()
  for (const [key, value] of entriesOf(map)) {
    const units = usageUnits(value)
    if (units === undefined) counts.unusable++
    else into.add(key, units)
  }
}

/** Fills `into` from a cost map. A map of nothing but nulls is no cost at all, so that one is computed. */
export function readCosts(map: unknown, into: Amounts, counts: ProvidedCounts): void {
  into.clear()
  const entries = entriesOf(map)
  if (!entries.some(([, value]) => value !== null && value !== undefined)) return
  for (const [key, value] of entries) into.add(key, costUnits(value, counts))
}

const entriesOf = (map: unknown): [string, unknown][] =>
  typeof map === 'object' && map !== null && !Array.isArray(map) ? Object.entries(map) : []
