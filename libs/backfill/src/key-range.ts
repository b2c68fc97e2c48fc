// SQL conditions for ranges of a sorting key. Tuples are compared column by column, because the engine uses its primary key only in this
// form.
import { literal } from '@svc-server/column-store/literal'

export interface KeyColumn {
  readonly sql: string
  readonly type: 'String' | 'Date'
}

/** The value of each key column as text. */
export type Key = readonly string[]

/** Null means that this end is open. */
export interface KeyRange {
  readonly after: Key | null
  /** Inclusive. */
  readonly upTo: Key | null
}

const literalOf = ({ type }: KeyColumn, text: string) => (type === 'Date' ? `toDate(${literal(text)})` : literal(text))

function compare(columns: readonly KeyColumn[], key: Key, sign: '<' | '>', last: string): string {
  const [column, ...others] = columns
  const value = literalOf(column!, key[0]!)
  if (others.length === 0) return `${column!.sql} ${last} ${value}`
  return `(${column!.sql} ${sign} ${value} OR (${column!.sql} = ${value} AND ${compare(others, key.slice(1), sign, last)}))`
}

/** `1` for all rows. */
export function inRange(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/** Compares only the first key columns; both ends are inclusive. */
export function inPrefix(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>=')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}
