// Inserts missing rows into events_full. After a try with unknown outcome, also inserts missing rows into events_core: its view only
// processes new inserts.
import { eventsColumns, viewSelect } from '@svc-server/schema/events/columns'
import { type Columns, isBackfilled } from './event-columns.ts'
import { monthBounds } from './months.ts'
import type { Session } from './session.ts'

export interface EventsInsert {
  readonly columns: Columns
  /** The FROM clause with its conditions. */
  readonly from: string
  readonly where: readonly string[]
  readonly target: Target
}

/** The range of the events tables that contains the rows of a chunk. */
export interface Target {
  /** The month as YYYYMM. */
  readonly month: number | null
  /** SQL condition for a range of project_id, trace_id, span_id, start_time. */
  readonly range: string
}

/**
 * Times in the old tables have only milliseconds. An event counts as present if the table has an event with the same key and millisecond.
 */
const millisecond = '(project_id, trace_id, span_id, toUnixTimestamp64Milli(start_time))'

const within = ({ month, range }: Target) => `${month === null ? '1' : monthBounds('start_time', month)} AND ${range}`

const there = (table: string, target: Target) => `SELECT ${millisecond} FROM ${table} WHERE ${within(target)}`

export function insertEvents({ dialect, unfenced }: Session, { columns, from, where, target }: EventsInsert): string {
  const names = Object.keys(columns).join(', ')
  return `INSERT INTO ${dialect.table('events_full')} (${names})
SELECT ${names} FROM (
  SELECT ${Object.entries(columns)
    .map(([name, expression]) => `${expression} AS ${name}`)
    .join(', ')}
  FROM ${from}
  WHERE ${where.join(' AND ')}
) WHERE ${unfenced} AND ${millisecond} NOT IN (${there(dialect.table('events_full'), target)})`
}

const insertable = eventsColumns.map(({ name }) => name).join(', ')

/** Inserts rows of the backfill that the view did not write to events_core. */
export const refillCore = ({ dialect, unfenced }: Session, target: Target): string =>
  `INSERT INTO ${dialect.table('events_core')} (${insertable})
SELECT ${viewSelect} FROM ${dialect.table('events_full')}
WHERE ${within(target)} AND ${isBackfilled} AND ${unfenced} AND ${millisecond} NOT IN (${there(dialect.table('events_core'), target)})`

/**
 * Finds backfill rows that are in events_core but not in events_full. A repeated insert into events_full would make the view write the rows
 * to events_core a second time.
 */
export const coreAlone = ({ dialect }: Session, target: Target): string =>
  `SELECT project_id, trace_id, span_id, toString(toUnixTimestamp64Micro(start_time)) AS us FROM ${dialect.table('events_core')}
WHERE ${within(target)} AND ${isBackfilled} AND ${millisecond} NOT IN (${there(dialect.table('events_full'), target)}) LIMIT 1000`
