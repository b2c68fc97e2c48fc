// Step 2 sorts observations by trace. Step 3 writes each observation as a child event of its trace. For each trace without a row, step 3
// also writes a root (contract §§15.6, 15.7).
import { childColumns, lentRootColumns } from './event-columns.ts'
import { notDenied, notExperiment, withoutOtelRoot } from './excluded.ts'
import type { EventsInsert } from './insert-events.ts'
import { rootsOf, tracesOf } from './joined.ts'
import { inPrefix, inRange, type KeyColumn } from './key-range.ts'
import { scratchNames, scratchObservationColumns } from './scratch.ts'
import type { Session } from './session.ts'
import { observationsSource, rowsIn, sortedSource } from './sources.ts'
import { beforeCutoff, type Scope, type Walk } from './step.ts'
import { writeEvents } from './write-events.ts'

/**
 * Selects the columns of the sorted observations. The sorted observations include rows that the live path rewrote after the cutoff, because
 * these rows also belong to the trees of their traces. The live path, and not the backfill, writes the event of a rewritten row. The
 * columns `input` and `output` of a rewritten row therefore stay empty.
 */
export const sortedColumns = (scope: Scope): string =>
  scratchObservationColumns
    .map(name =>
      name === 'input' || name === 'output' ? `if(${beforeCutoff('o.event_ts', scope)}, o.${name}, '') AS ${name}` : `o.${name}`,
    )
    .join(', ')

export const sortObservations: Walk = {
  name: 'observations in the order of traces',
  source: observationsSource,
  async bring(scope, chunk) {
    const { dialect, unfenced, run } = scope.session
    await run(
      `INSERT INTO ${dialect.table(scratchNames.observations)} (${scratchObservationColumns.join(', ')})
SELECT ${sortedColumns(scope)} FROM ${dialect.table('observations')} AS o FINAL
WHERE ${rowsIn(observationsSource, chunk)} AND (${beforeCutoff('o.event_ts', scope)} OR ${beforeCutoff('o.start_time', scope)}) AND ${unfenced}`,
    )
  },
}

const spanKey: readonly KeyColumn[] = ['project_id', 'trace_id', 'span_id'].map(sql => ({ sql, type: 'String' }))
const traceKey = spanKey.slice(0, 2)

/** Stores the ids of traces that possibly have no row in the table `traces`, including traces with a deleted row in this table. */
const insertTraceless = ({ dialect, unfenced }: Session) =>
  `INSERT INTO ${dialect.table(scratchNames.traceless)} (month, project_id, trace_id)
SELECT arrayJoin(groupUniqArrayIf(month, month > 0)), project_id, trace_id FROM (
  SELECT toYYYYMM(start_time) AS month, project_id, trace_id, 0 AS has_row, 0 AS has_deleted FROM ${dialect.table(scratchNames.observations)}
  UNION ALL SELECT 0, project_id, id, 1, is_deleted FROM ${dialect.table(scratchNames.traces)}
) WHERE ${unfenced} GROUP BY project_id, trace_id HAVING max(has_row) = 0 OR max(has_deleted) = 1`

export const createChildren: Walk = {
  name: 'events of observations',
  source: sortedSource,
  prepare: ({ session }) => session.run(insertTraceless(session)),
  async bring(scope, chunk, inDoubt) {
    const { session } = scope
    const table = session.dialect.table(scratchNames.observations)
    const rows = rowsIn(sortedSource, chunk)
    const pairs = `SELECT project_id, trace_id FROM ${table} WHERE ${rows}`
    const ends = { after: chunk.after?.slice(0, 2) ?? null, upTo: chunk.upTo?.slice(0, 2) ?? null }
    const pair = '(o.project_id, o.trace_id)'
    const excluded = [
      beforeCutoff('o.event_ts', scope),
      notExperiment(session, pair, chunk),
      notDenied(session, 'o.project_id', 'o.trace_id', chunk),
    ]
    const children: EventsInsert = {
      columns: childColumns,
      from: `(SELECT * FROM ${table} FINAL WHERE ${rows}) AS o
  LEFT ANY JOIN (${tracesOf(session, pairs, ends)}) AS t ON t.project_id = o.project_id AND t.id = o.trace_id
  LEFT ANY JOIN (${rootsOf(session, pairs)}) AS r ON r.project_id = o.project_id AND r.trace_id = o.trace_id`,
      where: excluded,
      target: { month: chunk.month, range: inRange(spanKey, chunk) },
    }
    const candidates = `SELECT project_id, trace_id FROM ${session.dialect.table(scratchNames.traceless)} WHERE month = ${chunk.month} AND ${inPrefix(traceKey, ends)}`
    const [some] = await session.query(`${candidates} LIMIT 1`)
    if (some === undefined) return writeEvents(session, [children], inDoubt)
    // The root belongs to the month of the trace's earliest observation. To find this observation, the query searches every month. The
    // search costs little, because the query looks for only a few traces, and the index finds their rows.
    const lent: EventsInsert = {
      columns: lentRootColumns,
      from: `(SELECT project_id, trace_id, start_time, name, environment, created_at, updated_at, event_ts FROM ${table} FINAL
    WHERE ${inPrefix(traceKey, ends)} AND ${beforeCutoff('event_ts', scope)} AND (project_id, trace_id) IN (${candidates})
      AND (project_id, trace_id) NOT IN (SELECT project_id, id FROM (${tracesOf(session, candidates, ends)}))
    ORDER BY start_time, id LIMIT 1 BY project_id, trace_id) AS o`,
      where: [`toYYYYMM(o.start_time) = ${chunk.month}`, ...excluded, withoutOtelRoot(session, pair, chunk)],
      target: { month: chunk.month, range: `${inPrefix(traceKey, ends)} AND span_id = concat('t-', trace_id)` },
    }
    return writeEvents(session, [children, lent], inDoubt)
  },
}
