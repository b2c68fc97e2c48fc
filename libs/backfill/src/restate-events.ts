// Rewrites rows of the events tables. A rewritten row is only one microsecond newer than the row that it replaces. Newer rows of the live
// path therefore still win.
import { eventsColumns } from '@svc-server/schema/events/columns'
import { isBackfilled } from './event-columns.ts'
import type { Batch } from './experiment-batch.ts'
import type { EventsInsert, Target } from './insert-events.ts'
import { tracesOf } from './joined.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'

const lent = (name: string) =>
  ['parent_span_id', 'version', 'release', 'trace_name', 'user_id', 'session_id', 'tags', 'public'].includes(name) ||
  name.startsWith('experiment_')

const defaultOf = (type: string) => (type.startsWith('Array') ? "'[]'" : type === 'Bool' ? "'false'" : "''")

/**
 * SQL that hashes those values of a row that come from the row's trace and run item. For a column without a value (`has` returns false),
 * the SQL hashes the column's default value.
 */
const saidByOthers = (has: (name: string) => boolean = () => true) =>
  `cityHash64(${eventsColumns
    .filter(({ name }) => lent(name))
    .map(({ name, type }) => (has(name) ? `ifNull(toString(${name}), '')` : defaultOf(type)))
    .join(', ')})`

const identity = ['project_id', 'trace_id', 'span_id', 'start_time'] as const

/** Selects each key whose newest row was written by the backfill, and the version of this row. */
const standing = (table: string, range: string) =>
  `SELECT ${identity.join(', ')}, max(v) AS version_ts, argMax(said, v) AS said FROM (
    SELECT ${identity.join(', ')}, event_ts AS v, ${saidByOthers()} AS said, is_deleted AS gone, ${isBackfilled} AS mine FROM ${table} WHERE ${range}
  ) GROUP BY ${identity.join(', ')} HAVING argMax(gone, v) = 0 AND argMax(mine, v)`

const tick = 'toIntervalMicrosecond(1)'

/**
 * Rewrites two kinds of event rows that the backfill wrote. Rows of the first kind take values from other rows, which have changed. The
 * second kind is a root that is older than the row from which the root is made. The function does not create missing rows. The function
 * checks both events tables, because a killed process may have updated only one of them.
 */
export function restate({ dialect, unfenced }: Session, { columns, from, where, target }: EventsInsert): string {
  const names = Object.keys(columns)
  const rows = names.map(name => `${columns[name]} AS ${name}`).join(', ')
  const same = (alias: string) => identity.map(name => `d.${name} = ${alias}.${name}`).join(' AND ')
  return `INSERT INTO ${dialect.table('events_full')} (${names.join(', ')})
SELECT ${names.map(name => (name === 'event_ts' ? `greatest(d.event_ts, f.version_ts + ${tick}, c.version_ts + ${tick})` : `d.${name}`)).join(', ')}
FROM (SELECT *, ${saidByOthers(name => name in columns)} AS said FROM (SELECT ${rows} FROM ${from} WHERE ${where.join(' AND ')})) AS d
INNER ANY JOIN (${standing(dialect.table('events_full'), target.range)}) AS f ON ${same('f')}
LEFT ANY JOIN (${standing(dialect.table('events_core'), target.range)}) AS c ON ${same('c')}
WHERE ${unfenced} AND (f.said != d.said OR c.said != d.said OR d.event_ts > f.version_ts OR d.event_ts > c.version_ts)`
}

/** Hides a virtual root that the backfill wrote, if the trace now has a different root. */
export function hideStrayRoots(session: Session, batch: Batch, range: Target['range']): string {
  const { dialect, unfenced } = session
  const pair = '(project_id, trace_id)'
  const newest = tracesOf(session, batch.pairs, batch)
  const names = identity.join(', ')
  return `INSERT INTO ${dialect.table('events_full')} (${names}, event_ts, is_deleted)
SELECT ${names}, version_ts + ${tick}, 1 FROM (${standing(dialect.table('events_full'), `${range} AND span_id = concat('t-', trace_id)`)})
WHERE ${unfenced} AND (${pair} IN (SELECT project_id, trace_id FROM ${dialect.table(scratchNames.roots)} WHERE ${pair} IN (${batch.pairs}))
  OR (${pair} IN (SELECT project_id, id FROM (${newest}))
    AND (project_id, trace_id, toUnixTimestamp64Milli(start_time)) NOT IN (SELECT project_id, id, toUnixTimestamp64Milli(timestamp) FROM (${newest}))))`
}
