// The v3 tables, used only in the write modes `legacy` and `dual` (contract §21.2). FINAL returns at most one row per object. If the key of
// an object's row changes, a tombstone replaces the row that has the old key. If the object's trace is deleted, a tombstone replaces the
// row, too. FINAL omits tombstones.
import { datasetRunItemsTypes } from '@svc-server/schema/old-tables/dataset-run-items'
import { observationsTypes } from '@svc-server/schema/old-tables/observations'
import { tracesTypes } from '@svc-server/schema/old-tables/traces'
import { nullable, number } from '../sql/decode.ts'
import { type Field, field, fieldsOf, numberField, textField } from '../sql/field.ts'
import type { Limits } from '../sql/scope.ts'
import type { Table } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

/**
 * A field has the alias of its table as a prefix, such as `t.id`. Without the prefix, the column store could confuse a column with a value
 * of the response that has the same name.
 */
export const t = fieldsOf('t', tracesTypes)
export const o = fieldsOf('o', observationsTypes)
export const i = fieldsOf('i', datasetRunItemsTypes)

export const traces: Table<'traces', typeof t> = {
  ...{ name: 'traces', alias: 't', columns: t, project: t.project_id, time: t.timestamp, scale: 'Milli' },
}
export const observations: Table<'observations', typeof o> = {
  ...{ name: 'observations', alias: 'o', columns: o, project: o.project_id, time: o.start_time, scale: 'Milli' },
}
export const runItems: Table<'dataset_run_items_rmt', typeof i> = {
  ...{ name: 'dataset_run_items_rmt', alias: 'i', columns: i, project: i.project_id, time: i.created_at, scale: 'Milli' },
}

export const limits: Limits = { rows: 100_000, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }
/** Time budget of a response in seconds, for all of its queries together. */
export const patience = 20

/** JavaScript objects need much memory if their keys are whole numbers, so maps are read as text. */
export const mapText = ({ sql: map }: Field<unknown>): Field<string> => textField(sql`toJSONString(${map})`)

export const millisOrNull = ({ sql: column }: Field<unknown>): Field<number | null> =>
  field(sql`toUnixTimestamp64Milli(${column})`, nullable(number))

/** Turns NULL into an empty text, because a missing value can be stored as either. */
export const orEmpty = ({ sql: column }: Field<unknown>): Sql => sql`ifNull(${column}, '')`

/** Size of a row's long fields in a response. */
export const bytesOf = (texts: readonly Field<unknown>[], map: Field<unknown>): Field<number> => {
  const lengths = texts.map(text => sql`ifNull(length(${text.sql}), 0)`)
  return numberField([...lengths, sql`length(toJSONString(${map.sql}))`].reduce((sum, length) => sql`${sum} + ${length}`))
}
