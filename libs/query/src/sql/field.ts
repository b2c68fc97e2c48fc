// A field combines SQL and a decoder, so that the row type of a query follows from its selected fields.
import { type Decoder, decoderOf, number, text, type ValueOf } from './decode.ts'
import { constant, type Sql, sql } from './sql.ts'

export interface Field<T> {
  /** The expression that conditions and orders use. */
  readonly sql: Sql
  /** The expression that queries select. The decoder expects the value of this expression. */
  readonly selected: Sql
  readonly decode: Decoder<T>
  /** The field's form in streams, if it differs from the column. */
  readonly written?: Written
}

/** Expressions for the wire value, one for each output format of the column store. */
export interface Written {
  /** The value as JSON text. A missing value becomes the JSON text `null` instead of SQL NULL. */
  readonly json: Sql
  readonly csv: Sql
  readonly parquet: Sql
}

export type Fields = Readonly<Record<string, Field<unknown>>>
/** A field that can be absent can also be absent in the row type. */
export type RowOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> | undefined ? T : never }

export function field<T>(expression: Sql, decode: Decoder<T>, selected: Sql = expression): Field<T> {
  return { sql: expression, selected, decode }
}

export const textField = (expression: Sql): Field<string> => field(expression, text)
export const numberField = (expression: Sql): Field<number> => field(expression, number)

/** Returns a field with a time in whole milliseconds; microseconds are truncated. */
export const millis = ({ sql: expression }: Pick<Field<unknown>, 'sql'>): Field<number> =>
  numberField(sql`toUnixTimestamp64Milli(${expression})`)

/** Creates one field per column, by name. The overload derives the fields' types from the column types. */
export function fieldsOf<Types extends Readonly<Record<string, string>>>(
  table: string,
  types: Types,
): { readonly [Name in keyof Types]: Field<ValueOf<Types[Name]>> }
export function fieldsOf(table: string, types: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, columnField(constant(`${table}.${name}`), type)]))
}

function columnField(column: Sql, type: string): Field<unknown> {
  const [, scale] = /DateTime64\((\d)/.exec(type) ?? []
  // Times are read as numbers, because their text would depend on the time zone of the column or of the server.
  if (scale === undefined) return field(column, decoderOf(type))
  return field(
    column,
    decoderOf(type),
    scale === '6' ? sql`toUnixTimestamp64Micro(${column})` : sql`toUnixTimestamp64Milli(${column}) * 1000`,
  )
}
