// SQL conditions for ranges of a sorting key. The conditions compare each column separately. If a condition compared whole tuples, the
// engine would not use its primary key.
import { literal } from '@svc-server/column-store/literal'

export interface KeyColumn {
  readonly sql: string
  readonly type: 'String' | 'Date'
}

/** A key consists of the values of its columns, as texts. */
export type Key = readonly string[]

/** A range of keys. Null means that the range has no limit at this end. */
export interface KeyRange {
  readonly after: Key | null
  /** The key `upTo` belongs to the range. */
  readonly upTo: Key | null
}

const literalOf = ({ type }: KeyColumn, text: string) => (type === 'Date' ? `toDate(${literal(text)})` : literal(text))

function compare(columns: readonly KeyColumn[], key: Key, sign: '<' | '>', last: string): string {
  const [column, ...others] = columns
  const value = literalOf(column!, key[0]!)
  if (others.length === 0) return `${column!.sql} ${last} ${value}`
  return `(${column!.sql} ${sign} ${value} OR (${column!.sql} = ${value} AND ${compare(others, key.slice(1), sign, last)}))`
}

/** Returns the condition for rows of the range. Returns `1` if the range contains all rows. */
export function inRange(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/** Returns a condition that compares only the first key columns. Keys that equal `after` or `upTo` in these columns belong to the range. */
export function inPrefix(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>=')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}
