// Ranges of a sorting key as SQL. Comparisons of tuples are spelled out column by column: the engine prunes by
// its primary key only then.
import { literal } from '@svc-server/column-store/literal'

export interface KeyColumn {
  /** As the table's sorting key has it. */
  readonly sql: string
  readonly type: 'String' | 'Date'
}

/** One text for each column of the key. */
export type Key = readonly string[]

/** Null: open. */
export interface KeyRange {
  readonly after: Key | null
  /** Itself included. */
  readonly upTo: Key | null
}

const literalOf = ({ type }: KeyColumn, text: string) => (type === 'Date' ? `toDate(${literal(text)})` : literal(text))

function compare(columns: readonly KeyColumn[], key: Key, sign: '<' | '>', last: string): string {
  const [column, ...others] = columns
  const value = literalOf(column!, key[0]!)
  if (others.length === 0) return `${column!.sql} ${last} ${value}`
  return `(${column!.sql} ${sign} ${value} OR (${column!.sql} = ${value} AND ${compare(others, key.slice(1), sign, last)}))`
}

/** Which rows lie in the range; `1` for all of them. */
export function inRange(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}

/** Rows whose first columns lie between those of the ends, both included. */
export function inPrefix(columns: readonly KeyColumn[], { after, upTo }: KeyRange): string {
  const conditions = [
    ...(after === null ? [] : [compare(columns, after, '>', '>=')]),
    ...(upTo === null ? [] : [compare(columns, upTo, '<', '<=')]),
  ]
  return conditions.length === 0 ? '1' : conditions.join(' AND ')
}
