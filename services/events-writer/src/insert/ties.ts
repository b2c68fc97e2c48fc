// Rows of one key with equal versions, of which the last insert wins. Where the table does not record their order, a probe cannot tell them
// apart, so the last of them is inserted again behind everything else. Pure.
import type { RowPlace } from '../destinations/row-encoder.ts'

/** Positions in `places` of rows that follow an equal row, in `places` or `before`, and have no equal row behind them. */
export function lastOfTies(places: readonly RowPlace[], before: readonly RowPlace[]): ReadonlySet<number> {
  const known = new Set(before.map(idOf))
  const last = new Map<string, number>()
  for (const [at, place] of places.entries()) {
    const id = idOf(place)
    if (known.has(id)) last.set(id, at)
    known.add(id)
  }
  return new Set(last.values())
}

const idOf = ({ key, versionUs }: RowPlace): string => JSON.stringify([...key, versionUs])
