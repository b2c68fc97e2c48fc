// How columns of the events tables look on the wire. Decoders make its form, so that a row that is read is a row that is sent.
import { objectOf, parseStoredJson } from '@svc-server/json'
import { type Decoder, text } from '../sql/decode.ts'
import { type Field, field } from '../sql/field.ts'
import { constant, type Sql, sql } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'
import { e, keptCharacters } from './events.ts'
import { shownLeaf } from './metadata.ts'

export const map = <From, To>({ sql: expression, decode, selected }: Field<From>, to: (value: From) => To): Field<To> =>
  field(expression, json => to(decode(json)), selected)

/** No value is the empty text in the column store, and null on the wire. */
export const orNull = (column: Field<string | null>): Field<string | null> => map(column, value => value || null)
export const textOrNull = (expression: Sql): Field<string | null> => orNull(field(expression, text))
export const iso = (column: Field<bigint>): Field<string> => map(column, isoOfMicros)
export const isoOrNull = (column: Field<bigint | null>): Field<string | null> => map(column, us => (us === null ? null : isoOfMicros(us)))
/** Names of others, also such as are whole numbers. */
export const amounts = (column: Field<Readonly<Record<string, number>>>) => map(column, given => objectOf(Object.entries(given)))

/** 0 shows as null, as no value does. */
export const seconds = (ms: Sql): Field<number | null> =>
  field(ms, json => (json === null || Number(json) === 0 ? null : Number(json) / 1000))

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

/** A row whose types are not stored has texts. */
const metadataOf = (values: Sql): Field<Readonly<Record<string, unknown>>> =>
  field(sql`arrayZipUnaligned(${e.metadata_names.sql}, ${values}, ${e.metadata_types.sql})`, leaves)

/** As events_full has it. */
export const metadata = metadataOf(e.metadata_values.sql)

/** As events_core has it, whatever is read. */
export const cutMetadata = metadataOf(
  sql`arrayMap(value -> leftUTF8(value, ${constant(String(keptCharacters))}), ${e.metadata_values.sql})`,
)

/** Metadata without types: names and texts, as they are stored. */
export const textsByName = (names: Sql, values: Sql): Field<Readonly<Record<string, unknown>>> =>
  field(sql`arrayZipUnaligned(${names}, ${values})`, json =>
    objectOf((Array.isArray(json) ? json : []).map(([name, value]) => [text(name), text(value)])),
  )

const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const levelOf = (level: string): (typeof levels)[number] => levels.find(each => each === level) ?? 'DEFAULT'

/** A comma list: trimmed, without empty pieces. */
export const commaList = (names: string | undefined): readonly string[] =>
  (names ?? '')
    .split(',')
    .map(piece => piece.trim())
    .filter(piece => piece !== '')
