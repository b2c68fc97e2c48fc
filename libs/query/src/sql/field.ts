// A field is SQL and decoder together, so that the type of a query's rows follows from the fields that it selects.
import { type Decoder, decoderOf, number, text, type ValueOf } from './decode.ts'
import { constant, type Sql, sql } from './sql.ts'

export interface Field<T> {
  /** As conditions and orders use it. */
  readonly sql: Sql
  /** As it is selected: in the form that the decoder reads. */
  readonly selected: Sql
  readonly decode: Decoder<T>
  /** As it stands in streams, where that is not the column itself. */
  readonly written?: Written
}

/** The value of the wire as the column store writes it: for each of its formats, an expression. */
export interface Written {
  /** JSON text; null is never the SQL one. */
  readonly json: Sql
  readonly csv: Sql
  readonly parquet: Sql
}

export type Fields = Readonly<Record<string, Field<unknown>>>
/** A field that may be absent makes a value that may be. */
export type RowOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> | undefined ? T : never }

export function field<T>(expression: Sql, decode: Decoder<T>, selected: Sql = expression): Field<T> {
  return { sql: expression, selected, decode }
}

export const textField = (expression: Sql): Field<string> => field(expression, text)
export const numberField = (expression: Sql): Field<number> => field(expression, number)

/** A time as whole milliseconds, further digits cut. */
export const millis = ({ sql: expression }: Pick<Field<unknown>, 'sql'>): Field<number> =>
  numberField(sql`toUnixTimestamp64Milli(${expression})`)

/** By name, a field for each column; the overload says what the types of the columns say. */
export function fieldsOf<Types extends Readonly<Record<string, string>>>(
  table: string,
  types: Types,
): { readonly [Name in keyof Types]: Field<ValueOf<Types[Name]>> }
export function fieldsOf(table: string, types: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, columnField(constant(`${table}.${name}`), type)]))
}

function columnField(column: Sql, type: string): Field<unknown> {
  const [, scale] = /DateTime64\((\d)/.exec(type) ?? []
  // As a number: a text would be in the zone of the column, or of the server.
  if (scale === undefined) return field(column, decoderOf(type))
  return field(
    column,
    decoderOf(type),
    scale === '6' ? sql`toUnixTimestamp64Micro(${column})` : sql`toUnixTimestamp64Milli(${column}) * 1000`,
  )
}
