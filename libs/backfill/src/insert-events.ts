// Rows into events_full that are not there yet, and after a doubt also into events_core, which the view fills on insert alone.
import { eventsColumns, viewSelect } from '@svc-server/schema/events/columns'
import { type Columns, isBackfilled } from './event-columns.ts'
import { monthBounds } from './months.ts'
import type { Session } from './session.ts'

export interface EventsInsert {
  readonly columns: Columns
  /** From what, with its conditions. */
  readonly from: string
  readonly where: readonly string[]
  readonly target: Target
}

/** Where the rows of a chunk lie in the events tables. */
export interface Target {
  /** YYYYMM. */
  readonly month: number | null
  /** By project_id, trace_id, span_id, start_time. */
  readonly range: string
}

/** Old tables know milliseconds: a row of the same one is there. */
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

/** Rows of the backfill that the view did not bring to events_core. */
export const refillCore = ({ dialect, unfenced }: Session, target: Target): string =>
  `INSERT INTO ${dialect.table('events_core')} (${insertable})
SELECT ${viewSelect} FROM ${dialect.table('events_full')}
WHERE ${within(target)} AND ${isBackfilled} AND ${unfenced} AND ${millisecond} NOT IN (${there(dialect.table('events_core'), target)})`

/** Rows of the backfill in events_core alone: their insert into events_full would bring them a second time. */
export const coreAlone = ({ dialect }: Session, target: Target): string =>
  `SELECT project_id, trace_id, span_id, toString(toUnixTimestamp64Micro(start_time)) AS us FROM ${dialect.table('events_core')}
WHERE ${within(target)} AND ${isBackfilled} AND ${millisecond} NOT IN (${there(dialect.table('events_full'), target)}) LIMIT 1000`
