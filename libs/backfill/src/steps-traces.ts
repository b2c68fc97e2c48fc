// Step 1 first copies the properties of traces to a scratch table, sorted by trace. It then writes a virtual root for each trace (contract
// §15.5).
import { rootColumns } from './event-columns.ts'
import { notDenied, notExperiment, withoutOtelRoot } from './excluded.ts'
import type { EventsInsert } from './insert-events.ts'
import { inRange } from './key-range.ts'
import { monthBounds, monthsOf } from './months.ts'
import { scratchExperimentColumns, scratchNames, scratchTraceColumns } from './scratch.ts'
import { rowsIn, tracesSource } from './sources.ts'
import { beforeCutoff, type Phase, type Scope } from './step.ts'
import { writeEvents } from './write-events.ts'

/**
 * Also sorts traces whose rows the live path writes. The backfill may still have to write child rows of such a trace, and copies the newest
 * properties of the trace to these child rows.
 */
export const sortTraces: Phase = {
  name: 'properties of traces',
  source: tracesSource,
  async bring({ session }, chunk) {
    const { dialect, unfenced } = session
    const names = scratchTraceColumns.join(', ')
    await session.run(
      `INSERT INTO ${dialect.table(scratchNames.traces)} (${names})
SELECT ${names} FROM ${dialect.table('traces')} FINAL WHERE ${rowsIn(tracesSource, chunk)} AND ${unfenced}`,
    )
  },
}

/**
 * A trace of v3 can have several rows, each with a different key. v3 shows only the newest row. This SQL stores the keys of all other
 * rows, which get no virtual root.
 */
const insertMoved = ({ session: { dialect, unfenced } }: Scope) =>
  `INSERT INTO ${dialect.table(scratchNames.moved)} (project_id, trace_id, timestamp)
SELECT project_id, id, arrayJoin(arrayFilter(each -> each != newest, times)) FROM (
  SELECT project_id, id, argMax(timestamp, (event_ts, timestamp)) AS newest, groupUniqArray(timestamp) AS times
  FROM ${dialect.table(scratchNames.traces)} WHERE is_deleted = 0 AND ${unfenced} GROUP BY project_id, id HAVING length(times) > 1
)`

const insertRoots = ({ session: { dialect, unfenced } }: Scope, month: number) =>
  `INSERT INTO ${dialect.table(scratchNames.roots)} (project_id, trace_id, span_id)
SELECT project_id, trace_id, span_id FROM ${dialect.table('events_full')} FINAL
WHERE ${monthBounds('start_time', month)} AND parent_span_id = '' AND span_id != concat('t-', trace_id) AND is_deleted = 0 AND ${unfenced}`

const insertExperiments = (scope: Scope) => {
  const { dialect, unfenced } = scope.session
  const names = scratchExperimentColumns.join(', ')
  return `INSERT INTO ${dialect.table(scratchNames.experiments)} (${names})
SELECT ${names} FROM ${dialect.table('dataset_run_items_rmt')} FINAL WHERE ${beforeCutoff('event_ts', scope)} AND ${unfenced}`
}

export const createRoots: Phase = {
  name: 'virtual roots',
  source: tracesSource,
  async prepare(scope) {
    const { session } = scope
    for (const month of await monthsOf(session, 'events_full')) await session.run(insertRoots(scope, month))
    await session.run(insertExperiments(scope))
    await session.run(insertMoved(scope))
  },
  bring: (scope, chunk, inDoubt) => {
    const { session } = scope
    const pair = '(t.project_id, t.id)'
    const insert: EventsInsert = {
      columns: rootColumns,
      from: `(SELECT * FROM ${session.dialect.table('traces')} FINAL WHERE ${rowsIn(tracesSource, chunk)}) AS t`,
      where: [
        beforeCutoff('t.event_ts', scope),
        `(t.project_id, t.id, t.timestamp) NOT IN (SELECT project_id, trace_id, timestamp FROM ${session.dialect.table(scratchNames.moved)})`,
        notExperiment(session, pair, chunk),
        notDenied(session, 't.project_id', 't.id', chunk),
        withoutOtelRoot(session, pair, chunk),
      ],
      target: {
        month: chunk.month,
        range: inRange(
          [
            { sql: 'project_id', type: 'String' },
            { sql: 'toDate(start_time, timezone())', type: 'Date' },
            { sql: 'trace_id', type: 'String' },
          ],
          chunk,
        ),
      },
    }
    return writeEvents(session, [insert], inDoubt)
  },
}
