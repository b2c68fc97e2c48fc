// The form in which the API sends each column of the events tables. Queries return values in this form, so rows can be sent unchanged.
import { objectOf, parseStoredJson } from '@svc-server/json'
import { boolean, type Decoder, text } from '../sql/decode.ts'
import { type Field, field, type Written } from '../sql/field.ts'
import { constant, type Sql, sql } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'
import { e, keptCharacters } from './events.ts'
import { entry } from './expressions.ts'
import { leafType, shownLeaf } from './metadata.ts'

export const map = <From, To>({ sql: expression, decode, selected }: Field<From>, to: (value: From) => To): Field<To> =>
  field(expression, json => to(decode(json)), selected)

const jsonOf = (value: Sql): Sql => sql`ifNull(toJSONString(${value}), 'null')`

export const plain = (value: Sql): Written => ({ json: jsonOf(value), csv: value, parquet: value })
/** Used for a value for which CSV and Parquet have no suitable type. Every format contains such a value as JSON text. */
export const jsonText = (json: Sql): Written => ({ json, csv: json, parquet: json })
const writtenAs = <T>(of: Field<T>, written: Written): Field<T> => ({ ...of, written })

/** Turns an empty text into null, because missing values are stored as empty texts. */
export const orNull = (column: Field<string | null>): Field<string | null> =>
  writtenAs(
    map(column, value => value || null),
    plain(sql`nullIf(toString(${column.sql}), '')`),
  )
export const textOrNull = (expression: Sql): Field<string | null> => orNull(field(expression, text))

/** Truncates a time downwards to the millisecond, also before 1970. */
function millisecond(time: Sql): Sql {
  const us = sql`toUnixTimestamp64Micro(${time})`
  return sql`fromUnixTimestamp64Milli(toInt64(intDiv(${us} - positiveModulo(${us}, 1000), 1000)), 'UTC')`
}
export const iso = (column: Field<bigint>): Field<string> => writtenAs(map(column, isoOfMicros), plain(millisecond(column.sql)))
export const isoOrNull = (column: Field<bigint | null>): Field<string | null> =>
  writtenAs(
    map(column, us => (us === null ? null : isoOfMicros(us))),
    plain(millisecond(column.sql)),
  )
/** Clients choose the names, which can be whole numbers. For such names, `objectOf` needs less memory than a plain object. */
export const amounts = (column: Field<Readonly<Record<string, number>>>) =>
  writtenAs(
    map(column, given => objectOf(Object.entries(given))),
    { json: jsonOf(column.sql), csv: jsonOf(column.sql), parquet: column.sql },
  )
export const isTrue = (expression: Sql): Field<boolean> => writtenAs(field(expression, boolean), plain(sql`toBool(${expression})`))
export const texts = (column: Field<readonly string[]>): Field<readonly string[]> =>
  writtenAs(column, { json: jsonOf(column.sql), csv: jsonOf(column.sql), parquet: column.sql })

/** Converts milliseconds to seconds. An input of 0 means that there is no value, so it becomes null. */
export const seconds = (ms: Sql): Field<number | null> =>
  writtenAs(
    field(ms, json => (json === null || Number(json) === 0 ? null : Number(json) / 1000)),
    plain(sql`nullIf(${ms}, 0) / 1000`),
  )

/** Replaces line breaks by spaces, because an unescaped line break would end the line in NDJSON. */
const oneLine = (json: Sql): Sql => sql`replaceRegexpAll(${json}, '[\\r\\n]', ' ')`
/** Stored JSON stays unchanged; any other text becomes a JSON string. */
export const jsonOrText = (stored: Sql): Sql => sql`if(isValidJSON(${stored}), ${oneLine(stored)}, toJSONString(${stored}))`

/**
 * Returns SQL that builds a JSON object from entries. `leaf` is SQL for the value of the entry `x`. If two entries have the same name, a
 * JSON parser uses the last entry.
 */
const objectText = (entries: Sql, leaf: Sql): Sql =>
  sql`concat('{', arrayStringConcat(arrayMap(x -> concat(toJSONString(toString(x.1)), ':', ${leaf}), ${entries}), ','), '}')`

export const parameters = (column: Field<string>): Field<unknown> =>
  writtenAs(map(column, parametersOf), jsonText(sql`if(${column.sql} = '', '{}', ${jsonOrText(column.sql)})`))
export const level = (column: Field<string>) =>
  writtenAs(
    map(column, levelOf),
    plain(sql`if(${column.sql} IN ('DEBUG', 'DEFAULT', 'WARNING', 'ERROR'), toString(${column.sql}), 'DEFAULT')`),
  )
export const totalOf = (column: Field<Readonly<Record<string, number>>>): Field<number | null> =>
  writtenAs(
    map(column, details => (Object.hasOwn(details, 'total') ? (details['total'] ?? null) : null)),
    plain(sql`toFloat64(${entry(column.sql, 'total')})`),
  )

export function parametersOf(json: string): unknown {
  if (json === '') return {}
  try {
    return parseStoredJson(json)
  } catch {
    return json
  }
}

const leaves: Decoder<Readonly<Record<string, unknown>>> = json =>
  objectOf(
    (Array.isArray(json) ? json : []).map(([name, value, type]) => [text(name), shownLeaf({ text: text(value), type: Number(type) })]),
  )

/** Builds the metadata object from names, values and types. Rows without types contain only texts. */
function metadataOf(values: Sql): Field<Readonly<Record<string, unknown>>> {
  const zipped = sql`arrayZipUnaligned(${e.metadata_names.sql}, ${values}, ${e.metadata_types.sql})`
  const type = (name: keyof typeof leafType) => constant(String(leafType[name]))
  const stored = sql`ifNull(x.2, '')`
  const leaf = sql`multiIf(x.3 = ${type('boolean')}, if(x.2 = 'true', 'true', 'false'), x.3 = ${type('null')}, 'null',
    x.3 IN (${type('number')}, ${type('json')}), ${jsonOrText(stored)}, toJSONString(${stored}))`
  return writtenAs(field(zipped, leaves), jsonText(objectText(zipped, leaf)))
}

export const metadata = metadataOf(e.metadata_values.sql)

/** Metadata whose values are as short as in events_core, even if the query reads events_full. */
export const cutMetadata = metadataOf(
  sql`arrayMap(value -> leftUTF8(value, ${constant(String(keptCharacters))}), ${e.metadata_values.sql})`,
)

export function textsByName(names: Sql, values: Sql): Field<Readonly<Record<string, unknown>>> {
  const zipped = sql`arrayZipUnaligned(${names}, ${values})`
  const decode: Decoder<Readonly<Record<string, unknown>>> = json =>
    objectOf((Array.isArray(json) ? json : []).map(([name, value]) => [text(name), text(value)]))
  return writtenAs(field(zipped, decode), jsonText(objectText(zipped, sql`toJSONString(ifNull(x.2, ''))`)))
}

const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const levelOf = (level: string): (typeof levels)[number] => levels.find(each => each === level) ?? 'DEFAULT'

export const commaList = (names: string | undefined): readonly string[] =>
  (names ?? '')
    .split(',')
    .map(piece => piece.trim())
    .filter(piece => piece !== '')
