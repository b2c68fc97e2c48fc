// Adds up usage and cost in memory. The result is exactly the same as in the column store.
import { asciiLower } from '../texts.ts'

type Amounts = Readonly<Record<string, number>>

const entriesNamed = (amounts: Amounts, part: string): readonly number[] =>
  Object.entries(amounts).flatMap(([name, amount]) => (asciiLower(name).includes(part) ? [amount] : []))

export const tokensOf = (amounts: Amounts, part: 'input' | 'output'): number =>
  entriesNamed(amounts, part).reduce((sum, amount) => sum + amount, 0)

const scale = 12

/** Sums costs as exact decimals: 0.1 plus 0.2 is 0.3. */
export function costOf(amounts: Amounts, part: 'input' | 'output'): number {
  const units = entriesNamed(amounts, part).reduce((sum, amount) => sum + BigInt(amount.toFixed(scale).replace('.', '')), 0n)
  return Number(units) / 10 ** scale
}

export const entryOf = (amounts: Amounts, name: string): number | null => (Object.hasOwn(amounts, name) ? (amounts[name] ?? null) : null)

/** Returns the milliseconds between two times. Each time is truncated to the millisecond before the subtraction. */
export const millisBetween = (from: bigint, to: bigint | null): number | null => (to === null ? null : Number(to / 1000n - from / 1000n))
