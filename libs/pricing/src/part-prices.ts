// Finds a model's price for each usage cell. Price names are interpreted like usage names. If a part of the input or output has no price,
// the price of the whole input or output applies.
import type { Units } from './amounts.ts'
import type { OwnPrices } from './disjoint-usage.ts'
import { cellOf, parentOf, usageCells } from './usage-cells.ts'
import { readUsageName } from './usage-name.ts'

type Prices = ReadonlyMap<string, Units>

/** Caches the cell of each price name. Normally, there are only a few dozen names, but prices that users define can have any name. */
const cells = new Map<string, number>()
const mostKnown = 1000

function cellOfPrice(name: string): number {
  let cell = cells.get(name)
  if (cell === undefined) {
    const read = readUsageName(name)
    cell = read.kind === 'count' ? read.cell : -1
    if (cells.size >= mostKnown) cells.clear()
    cells.set(name, cell)
  }
  return cell
}

/**
 * Maps the name of each cell (see `usage-cells.ts`) to its listed price. If several listed names stand for the same cell, the price of the
 * cell's own name takes precedence.
 */
function listedPrices(prices: Prices): Map<string, Units> {
  const listed = new Map<string, Units>()
  for (const [name, price] of prices) {
    const cell = cellOfPrice(name)
    if (cell < 0) continue
    const own = usageCells[cell]!
    if (name === own || !listed.has(own)) listed.set(own, price)
  }
  return listed
}

function priceIn(listed: Prices, name: string): Units | undefined {
  const price = listed.get(name)
  if (price !== undefined) return price
  const parent = parentOf(name)
  return parent === undefined ? undefined : priceIn(listed, parent)
}

/** The cell `total` does not count as a part of the usage, because the price of `total` applies to all tokens. */
const isPart = (name: string): boolean => name !== 'total' && name !== 'input_uncached'

function partPrices(prices: Prices): Prices {
  const listed = listedPrices(prices)
  const all = new Map<string, Units>()
  for (const name of usageCells) {
    const price = isPart(name) ? priceIn(listed, name) : undefined
    if (price !== undefined) all.set(name, price)
  }
  return all
}

/**
 * Returns the cells that have their own price. A listed part, such as `input_cached_tokens`, has its own price if the price of the part
 * differs from the price of its parent (`parentOf`) in at least one tier. The cells `input` and `output` have no parent, so each of
 * these two cells always has its own price if a price of the cell is listed.
 */
function ownPrices(tiers: readonly Prices[]): OwnPrices {
  let own = 0
  for (const prices of tiers) {
    const listed = listedPrices(prices)
    for (const [name, price] of listed) {
      const parent = parentOf(name)
      if (isPart(name) && (parent === undefined || priceIn(listed, parent) !== price)) own |= 1 << cellOf(name)
    }
  }
  return own === 0 ? null : own
}

/** The part prices are computed on first use, because most models of a catalog are never used. */
export function withPartPrices<T extends { readonly prices: Prices }>(tier: T): T & { readonly partPrices: Prices } {
  let known: Prices | undefined
  return Object.defineProperty(tier, 'partPrices', { get: () => (known ??= partPrices(tier.prices)) }) as T & {
    readonly partPrices: Prices
  }
}

export function withOwnPrices<T extends object>(model: T, tiers: readonly Prices[]): T & { readonly ownPrices: OwnPrices } {
  let known: OwnPrices | undefined
  return Object.defineProperty(model, 'ownPrices', {
    get: () => (known === undefined ? (known = ownPrices(tiers)) : known),
  }) as T & { readonly ownPrices: OwnPrices }
}
