// Reads the usage and cost of a test case from any JSON value. The functions never throw.
import { type Amounts, plain, type Units } from '../src/amounts.ts'
import { atScale, moneyScale, parseDecimal, storableMoney } from '../src/money.ts'

export interface ProvidedCounts {
  /** Number of costs outside of the column's range. */
  clamped: number
  /**
   * Number of values that the reader could not use. A cost that is not a finite number became 0. A usage value that is not a count was left
   * out.
   */
  unusable: number
}

export const providedCounts = (): ProvidedCounts => ({ clamped: 0, unusable: 0 })

const maxUsage = 2n ** 64n - 1n

// TypeScript's library does not declare `isRawJSON` yet.
const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is { readonly rawJSON: string } }

function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  return json.isRawJSON(value) ? value.rawJSON : undefined
}

/** Accepts an integer from 0 to the maximum of UInt64, as a number or as text. Returns undefined for any other value. */
export function usageUnits(value: unknown): Units | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  const parsed = parseDecimal(typeof value === 'string' ? value : (digitsOf(value) ?? ''))
  if (parsed === undefined) return undefined
  const units = atScale(parsed, 0)
  if (units < 0n || units > maxUsage || atScale({ units, scale: 0 }, parsed.scale) !== parsed.units) return undefined
  return plain(units)
}

/** Returns 0 for a value that is not a finite number. A number in a text also becomes 0, because cost maps contain only numbers. */
export function costUnits(value: unknown, counts: ProvidedCounts): Units {
  const parsed = parseDecimal(digitsOf(value) ?? '')
  if (parsed === undefined) {
    counts.unusable++
    return 0
  }
  return storableMoney(plain(atScale(parsed, moneyScale)), () => counts.clamped++)
}

/** Ignores entries that are not counts. */
export function readUsage(map: unknown, into: Amounts, counts: ProvidedCounts): void {
  into.clear()
  for (const [key, value] of entriesOf(map)) {
    const units = usageUnits(value)
    if (units === undefined) counts.unusable++
    else into.add(key, units)
  }
}

/** If all values of the map are null, the map counts as empty. The cost is then computed. */
export function readCosts(map: unknown, into: Amounts, counts: ProvidedCounts): void {
  into.clear()
  const entries = entriesOf(map)
  if (!entries.some(([, value]) => value !== null && value !== undefined)) return
  for (const [key, value] of entries) into.add(key, costUnits(value, counts))
}

const entriesOf = (map: unknown): [string, unknown][] =>
  typeof map === 'object' && map !== null && !Array.isArray(map) ? Object.entries(map) : []
