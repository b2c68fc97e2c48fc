// The events tables. Both have the same columns, but events_core truncates input, output, and metadata values to 200 characters.
import { eventsTypes } from '@svc-server/schema/events/columns'
import { fieldsOf, numberField, type RowOf } from '../sql/field.ts'
import type { Table } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

/** Without the alias `e` as a prefix, the column store could confuse a column with a value of the SELECT list that has the same name. */
export const e = fieldsOf('e', eventsTypes)

type Events<Name extends string> = Table<Name, typeof e>

export const eventsCore: Events<'events_core'> = tableOf('events_core')
export const eventsFull: Events<'events_full'> = tableOf('events_full')

function tableOf<Name extends string>(name: Name): Events<Name> {
  return { name, alias: 'e', columns: e, project: e.project_id, time: e.start_time, scale: 'Micro' }
}

export const keptCharacters = 200

/**
 * Identifies a row within its project. These are the columns of the table's key, without the project. Lists are in the reverse order of
 * this key.
 */
export const eventKey = {
  start_us: e.start_time,
  trace_hash: numberField(sql`xxHash32(${e.trace_id.sql})`),
  span: e.span_id,
}
export type EventKey = RowOf<typeof eventKey>

export type EventRow = RowOf<typeof e>
