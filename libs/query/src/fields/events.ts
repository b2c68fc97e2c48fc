// The events tables. Both have the same columns; events_core has input, output and the values of metadata cut to 200 characters.
import { eventsTypes } from '@svc-server/schema/events/columns'
import { fieldsOf, numberField, type RowOf } from '../sql/field.ts'
import type { Table } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

/** Of either table: queries name it `e`, so that no name of a response is taken for a column. */
export const e = fieldsOf('e', eventsTypes)

type Events<Name extends string> = Table<Name, typeof e>

export const eventsCore: Events<'events_core'> = tableOf('events_core')
export const eventsFull: Events<'events_full'> = tableOf('events_full')

function tableOf<Name extends string>(name: Name): Events<Name> {
  return { name, alias: 'e', columns: e, project: e.project_id, time: e.start_time, scale: 'Micro' }
}

/** Characters that events_core keeps of input, output and each value of metadata. */
export const keptCharacters = 200

/** Where a row stands in lists, and its identity in a project: the key of the tables, reversed. */
export const eventKey = {
  start_us: e.start_time,
  trace_hash: numberField(sql`xxHash32(${e.trace_id.sql})`),
  span: e.span_id,
}
export type EventKey = RowOf<typeof eventKey>

/** What conditions and fields look at in memory: a row of events_full, as decoded. */
export type EventRow = RowOf<typeof e>
