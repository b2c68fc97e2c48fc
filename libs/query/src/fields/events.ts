// The events tables. Both events tables have the same columns, but events_core truncates input, output, and metadata values to 200
// characters.
import { eventsTypes } from '@svc-server/schema/events/columns'
import { fieldsOf, numberField, type RowOf } from '../sql/field.ts'
import type { Table } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

/**
 * Columns of the events tables. Queries prefix columns with the alias `e`, so that a name in the response is never mistaken for a column.
 */
export const e = fieldsOf('e', eventsTypes)

type Events<Name extends string> = Table<Name, typeof e>

export const eventsCore: Events<'events_core'> = tableOf('events_core')
export const eventsFull: Events<'events_full'> = tableOf('events_full')

function tableOf<Name extends string>(name: Name): Events<Name> {
  return { name, alias: 'e', columns: e, project: e.project_id, time: e.start_time, scale: 'Micro' }
}

/** Maximum number of characters that events_core stores of an input, an output or a metadata value. */
export const keptCharacters = 200

/** The key of a row in lists: it contains the same columns as the table's key, in reverse order, and is unique in a project. */
export const eventKey = {
  start_us: e.start_time,
  trace_hash: numberField(sql`xxHash32(${e.trace_id.sql})`),
  span: e.span_id,
}
export type EventKey = RowOf<typeof eventKey>

/** A decoded row of events_full. A decoded row is the input of conditions and fields that are evaluated in memory. */
export type EventRow = RowOf<typeof e>
