// Finds tied rows: rows that have the same key and the same version. The tied row that was inserted last wins. A probe (a query for the
// inserted rows) can distinguish tied rows only if the table stores the order of tied rows. If the table does not store the order, the
// writer inserts the last row of each tie once more, after all other rows, so that this row wins.
import type { RowPlace } from '../destinations/row-encoder.ts'

/** For each group of tied rows, returns the position in `places` of the group's last row. */
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
