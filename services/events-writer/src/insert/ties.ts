// Finds tied rows: rows that have the same key and the same version. Of several tied rows, the one that was inserted last wins. If the
// table does not store the order of tied rows, a probe cannot distinguish tied rows. If a probe cannot distinguish tied rows, the writer
// inserts the last tied row once more after all other rows. Pure.
import type { RowPlace } from '../destinations/row-encoder.ts'

/** For each group of equal rows in `before` and `places`, returns the position of the last row in `places`. */
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
