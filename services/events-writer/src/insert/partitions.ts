import type { KeyColumn } from '@svc-server/conservation/presence/key'
import type { Destination } from '../destinations/destination.ts'
import type { RowPlace } from '../destinations/row-encoder.ts'

const dayMs = 86_400_000

/** YYYYMM in UTC, as toYYYYMM. */
function monthOf({ kind }: KeyColumn, value: string | number): number {
  const date = new Date(kind === 'day' ? Number(value) * dayMs : Math.floor(Number(value) / 1_000))
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}

export function partitionsOf<T>(
  { key, monthOf: of }: Pick<Destination, 'key' | 'monthOf'>,
  rows: readonly T[],
  placeOf: (row: T) => RowPlace,
): readonly (readonly T[])[] {
  if (of === null) return [rows]
  const at = key.findIndex(({ sql }) => sql === of)
  const column = key[at]!
  return [...Map.groupBy(rows, row => monthOf(column, placeOf(row).key[at]!)).values()]
}
