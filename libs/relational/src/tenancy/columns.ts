// Describes each table once, by a value. The table's row types are derived from this value. A test compares the value with the table in
// PostgreSQL and in PGlite.
import type { ColumnType } from 'kysely'

/** Types that `information_schema` can report for each kind of column. v3's enums are treated as text. */
export const columnKinds = {
  text: ['text', 'character varying', 'character', 'USER-DEFINED'],
  texts: ['ARRAY'],
  integer: ['integer'],
  integers: ['ARRAY'],
  number: ['double precision'],
  bigint: ['bigint'],
  decimal: ['numeric'],
  boolean: ['boolean'],
  time: ['timestamp with time zone', 'timestamp without time zone'],
  json: ['json', 'jsonb'],
} as const

export type ColumnKind = keyof typeof columnKinds
/** `text?` is a nullable column, and `text=` is a column with a default, which an insert can omit. */
export type ColumnDescription = `${ColumnKind}${'' | '?' | '='}`

interface SelectTypes {
  readonly text: string
  readonly texts: string[]
  readonly integer: number
  readonly integers: number[]
  readonly number: number
  /** PGlite returns a `bigint` as an exact number, and PostgreSQL's client returns it as a text. */
  readonly bigint: string | number | bigint
  /** Queries return a text, because conversion to a floating-point number would change the value. */
  readonly decimal: string
  readonly boolean: boolean
  readonly time: Date
  readonly json: unknown
}

interface InsertTypes extends Omit<SelectTypes, 'bigint' | 'decimal' | 'json'> {
  readonly bigint: string | number | bigint
  readonly decimal: string | number
  /** JSON text; `storableJson` creates it from a client's value. */
  readonly json: string
}

type Column<Kind extends ColumnKind> = ColumnType<SelectTypes[Kind], InsertTypes[Kind], InsertTypes[Kind]>
type NullableColumn<Kind extends ColumnKind> = ColumnType<
  SelectTypes[Kind] | null,
  InsertTypes[Kind] | null | undefined,
  InsertTypes[Kind] | null
>
type DefaultColumn<Kind extends ColumnKind> = ColumnType<SelectTypes[Kind], InsertTypes[Kind] | undefined, InsertTypes[Kind]>

type Described<D> = D extends `${infer Kind extends ColumnKind}?`
  ? NullableColumn<Kind>
  : D extends `${infer Kind extends ColumnKind}=`
    ? DefaultColumn<Kind>
    : D extends ColumnKind
      ? Column<D>
      : never

export type Tables<D> = { readonly [T in keyof D]: { readonly [C in keyof D[T]]: Described<D[T][C]> } }

export const columns = <const D extends Readonly<Record<string, ColumnDescription>>>(description: D): D => description
