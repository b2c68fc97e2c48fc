// Computes the exact cost of a usage with a tier's prices. The prices are integers in a small unit of money (`Tier.scale`), so products and
// sums are integers in the same unit. Each result is truncated once, to the twelve decimal places of the cost column.
import { type Amounts, plus, shortened, times, type Units } from './amounts.ts'
import { storableMoney } from './money.ts'
import type { Tier } from './tiers.ts'
import { maxUsage } from './usage-cells.ts'

const total = 'total'

/**
 * Fills `into` with the cost of each usage type that has a price, and with the `total`. If no usage type has a price, `into` stays empty.
 * With `parts`, the keys of `usage` are the names in `usageCells`. If a part has no price of its own, the price of the whole input or
 * output applies.
 */
export function computeCosts(usage: Amounts, tier: Tier, parts: boolean, into: Amounts, onClamp: () => void): void {
  const { prices, divisor } = tier
  into.clear()
  let sum: Units = 0
  let priced = false
  for (let i = 0; i < usage.length; i++) {
    const key = usage.keys[i]!
    const price = prices.get(key) ?? (parts ? tier.partPrices.get(key) : undefined)
    if (price === undefined) continue
    const cost = times(usage.units[i]!, price)
    if (key === total) priced = true
    else sum = plus(sum, cost)
    into.add(key, storableMoney(divisor === null ? cost : shortened(cost, divisor), onClamp))
  }
  if (into.length === 0 || priced) return
  into.add(total, storableMoney(divisor === null ? sum : shortened(sum, divisor), onClamp))
}

/** Takes the client's costs. If `total` is missing, it becomes the exact sum of these costs. */
export function takeCosts(provided: Amounts, into: Amounts, onClamp: () => void): void {
  into.copy(provided)
  if (provided.length === 0 || provided.indexOf(total) >= 0) return
  into.add(total, storableMoney(sumOf(provided), onClamp))
}

function sumOf({ length, units }: Amounts): Units {
  let sum: Units = 0
  for (let i = 0; i < length; i++) sum = plus(sum, units[i]!)
  return sum
}

/** Takes the client's usage. A missing `total` becomes the sum of the counts. If the sum exceeds UInt64, the total stays missing. */
export function completeUsage(provided: Amounts, into: Amounts): void {
  into.copy(provided)
  if (provided.length === 0 || provided.indexOf(total) >= 0) return
  const sum = sumOf(provided)
  if (sum <= maxUsage) into.add(total, sum)
}

/** True if the parts exceed the total by more than 1 token and by more than 1 %. */
export function totalMismatch(usage: Amounts): boolean {
  const at = usage.indexOf(total)
  if (at < 0) return false
  let parts: Units = 0
  for (let i = 0; i < usage.length; i++) if (i !== at) parts = plus(parts, usage.units[i]!)
  const given = usage.units[at]!
  if (parts <= given) return false
  const excess = Number(BigInt(parts) - BigInt(given))
  return excess > 1 && excess > Number(given) / 100
}
