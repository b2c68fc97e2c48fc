// A field combines SQL with the decoder of its values, so the fields of a query determine the type of the query's rows.
import { type Decoder, decoderOf, number, text, type ValueOf } from './decode.ts'
import { constant, type Sql, sql } from './sql.ts'

export interface Field<T> {
  /** WHERE and ORDER BY use this expression. */
  readonly sql: Sql
  /** Queries select this expression, and `decode` receives the expression's value. */
  readonly selected: Sql
  readonly decode: Decoder<T>
  /** How streams write the value. Without this property, streams write the value of `sql`. */
  readonly written?: Written
}

/** For each output format of a stream, the SQL expression of the value that the stream writes. */
export interface Written {
  /** A missing value is the JSON text `null`, not SQL NULL. */
  readonly json: Sql
  readonly csv: Sql
  readonly parquet: Sql
}

export type Fields = Readonly<Record<string, Field<unknown>>>
/** The type of a row with the fields `F`. A member that is optional in `F` is also optional in the row. */
export type RowOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> | undefined ? T : never }

export function field<T>(expression: Sql, decode: Decoder<T>, selected: Sql = expression): Field<T> {
  return { sql: expression, selected, decode }
}

export const textField = (expression: Sql): Field<string> => field(expression, text)
export const numberField = (expression: Sql): Field<number> => field(expression, number)

/** Truncates to milliseconds. */
export const millis = ({ sql: expression }: Pick<Field<unknown>, 'sql'>): Field<number> =>
  numberField(sql`toUnixTimestamp64Milli(${expression})`)

/** Creates one field per column. The first signature derives each field's type from the column's type. */
export function fieldsOf<Types extends Readonly<Record<string, string>>>(
  table: string,
  types: Types,
): { readonly [Name in keyof Types]: Field<ValueOf<Types[Name]>> }
export function fieldsOf(table: string, types: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, columnField(constant(`${table}.${name}`), type)]))
}

function columnField(column: Sql, type: string): Field<unknown> {
  const [, scale] = /DateTime64\((\d)/.exec(type) ?? []
  // The text of a time would depend on the time zone of the column or server, so times are read as numbers.
  if (scale === undefined) return field(column, decoderOf(type))
  return field(
    column,
    decoderOf(type),
    scale === '6' ? sql`toUnixTimestamp64Micro(${column})` : sql`toUnixTimestamp64Milli(${column}) * 1000`,
  )
}
