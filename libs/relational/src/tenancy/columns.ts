// A table is described once, as a value: the types of its rows come from it, and a test holds it against the databases.
import type { ColumnType } from 'kysely'

/** What `information_schema` calls the types of each kind. Enums of v3 count as text. */
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
/** `text`; `text?` may be null; `text=` has a default, so that an insert may leave it out. */
export type ColumnDescription = `${ColumnKind}${'' | '?' | '='}`

interface SelectTypes {
  readonly text: string
  readonly texts: string[]
  readonly integer: number
  readonly integers: number[]
  readonly number: number
  /** PGlite gives numbers where they are exact, PostgreSQL gives texts. */
  readonly bigint: string | number | bigint
  /** Read as text, because a double would change it. */
  readonly decimal: string
  readonly boolean: boolean
  readonly time: Date
  readonly json: unknown
}

interface InsertTypes extends Omit<SelectTypes, 'bigint' | 'decimal' | 'json'> {
  readonly bigint: string | number | bigint
  readonly decimal: string | number
  /** JSON text: `storableJson` makes it of a client's value. */
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

/** The types of described tables for Kysely. */
export type Tables<D> = { readonly [T in keyof D]: { readonly [C in keyof D[T]]: Described<D[T][C]> } }

export const columns = <const D extends Readonly<Record<string, ColumnDescription>>>(description: D): D => description
