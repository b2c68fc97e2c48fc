// Finds tied rows: rows of one key with equal versions. The one inserted last wins. If the table does not record the order of tied rows, a
// probe cannot distinguish them, so the last tied row is inserted again, after all other rows. Pure.
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
