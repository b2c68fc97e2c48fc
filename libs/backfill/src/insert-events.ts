// Inserts missing rows into events_full. The view of events_full writes each inserted row to events_core. If the outcome of an earlier try
// is unknown, events_core can lack rows of that try. These rows are inserted into events_core separately, because the view processes only
// new inserts.
import { eventsColumns, viewSelect } from '@svc-server/schema/events/columns'
import { type Columns, isBackfilled } from './event-columns.ts'
import { monthBounds } from './months.ts'
import type { Session } from './session.ts'

export interface EventsInsert {
  readonly columns: Columns
  /** SQL after FROM. */
  readonly from: string
  readonly where: readonly string[]
  readonly target: Target
}

/** The part of the events tables that contains a chunk's rows: the month of these rows, and the range of their keys. */
export interface Target {
  /** YYYYMM. */
  readonly month: number | null
  /** SQL condition on project_id, trace_id, span_id, start_time. */
  readonly range: string
}

/**
 * SQL that identifies an event: its ids, and the millisecond of its start. Times in the old tables have only milliseconds. An event
 * therefore exists already if a row with the same ids starts in the same millisecond.
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

/** Copies backfill rows from events_full to events_core if the view has not written them there. */
export const refillCore = ({ dialect, unfenced }: Session, target: Target): string =>
  `INSERT INTO ${dialect.table('events_core')} (${insertable})
SELECT ${viewSelect} FROM ${dialect.table('events_full')}
WHERE ${within(target)} AND ${isBackfilled} AND ${unfenced} AND ${millisecond} NOT IN (${there(dialect.table('events_core'), target)})`

/**
 * Selects backfill rows that are in events_core but not in events_full. If such a row were inserted into events_full, the view would write
 * it to events_core a second time.
 */
export const coreAlone = ({ dialect }: Session, target: Target): string =>
  `SELECT project_id, trace_id, span_id, toString(toUnixTimestamp64Micro(start_time)) AS us FROM ${dialect.table('events_core')}
WHERE ${within(target)} AND ${isBackfilled} AND ${millisecond} NOT IN (${there(dialect.table('events_full'), target)}) LIMIT 1000`
