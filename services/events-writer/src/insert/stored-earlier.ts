// Finds rows that the current rules reject but that an earlier attempt stored under other rules. These rows stay stored, and their items do
// not become dead letters (F44).
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { Rejection } from '@svc-server/stream/chunk'
import { type Destination, tablesOf } from '../destinations/destination.ts'
import { itemsOfRecord } from '../records.ts'

export interface EarlierDeps {
  readonly columnStore: ColumnStore
  readonly destination: Destination
  readonly topic: string
  readonly partition: number
  /**
   * Maps the offset of each record to the version of the record's rows, in microseconds. The version is a time of the record, so it shows
   * whether a row comes from an earlier log: a recreated log has the same offsets, but its records have other times.
   */
  readonly rowTimesUs: ReadonlyMap<number, number>
}

export interface Divided {
  readonly rejected: readonly Rejection[]
  readonly kept: number
}

const offsetsPerQuery = 100

/**
 * Finds the rows of rejected items by provenance, because some of these items have no key. If the provenance column has no index, the query
 * reads the whole column. In a table without provenance, this function finds no rows, so all rejections stay. Rejects with an AppError.
 */
export async function withoutStoredEarlier(deps: EarlierDeps, rejected: readonly Rejection[]): Promise<Divided> {
  const stored = await storedIndexes(deps, [...new Set(rejected.map(({ offset }) => offset))])
  let kept = 0
  const rest = rejected.flatMap((rejection): readonly Rejection[] => {
    const indexes = stored.get(rejection.offset)
    if (indexes === undefined) return [rejection]
    if (rejection.index !== null) {
      if (!indexes.has(rejection.index)) return [rejection]
      kept += 1
      return []
    }
    kept += indexes.size
    return absentOf(deps.topic, rejection, indexes)
  })
  return { rejected: rest, kept }
}

/**
 * Takes the rejection of a whole record. Returns one rejection for each item of the record that is not stored. Only the first of these
 * rejections has the record's bytes.
 */
function absentOf(topic: string, rejection: Rejection, stored: ReadonlySet<number>): readonly Rejection[] {
  const absent = Array.from({ length: itemsOfRecord(topic, rejection.raw) }, (_, index) => index).filter(index => !stored.has(index))
  const message = `${rejection.message} (an earlier try stored other spans of this record; the first dead letter of the record contains its bytes)`
  return absent.map((index, at) => ({ ...rejection, index, message, raw: at === 0 ? rejection.raw : new Uint8Array(0) }))
}

async function storedIndexes({ columnStore, destination, topic, partition, rowTimesUs }: EarlierDeps, offsets: readonly number[]) {
  const stored = new Map<number, Set<number>>()
  const { table, version, provenance } = destination
  if (provenance === null || offsets.length === 0) return stored
  await catchUp(columnStore, tablesOf(destination))
  for (let at = 0; at < offsets.length; at += offsetsPerQuery) {
    const prefix = `${topic}/${partition}/`
    const rows = await columnStore.query<{ place: string; version_us: string }>(
      `SELECT DISTINCT substring(${provenance}, length({prefix:String}) + 1) AS place, toString(toUnixTimestamp64Micro(${version})) AS version_us
       FROM ${table}
       WHERE startsWith(${provenance}, {prefix:String})
         AND has({offsets:Array(UInt64)}, toUInt64OrZero(substringIndex(substring(${provenance}, length({prefix:String}) + 1), '#', 1)))`,
      { prefix, offsets: offsets.slice(at, at + offsetsPerQuery) },
    )
    for (const { place, version_us } of rows) {
      const [offset, index] = place.split('#').map(Number)
      if (rowTimesUs.get(offset!) !== Number(version_us)) continue
      stored.set(offset!, (stored.get(offset!) ?? new Set()).add(index!))
    }
  }
  return stored
}
