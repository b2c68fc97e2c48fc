// Finds the run item of each span in a batch of traces (contract §§13.7, 15.8). The column store assigns run items to spans, level by level
// in the span tree. No process therefore has to hold a trace with millions of spans in memory.
import { literal } from '@svc-server/column-store/literal'
import { childColumns, experimentColumns, lentRootColumns, parentOf, rootColumns } from './event-columns.ts'
import { notDenied, withoutOtelRoot } from './excluded.ts'
import type { EventsInsert } from './insert-events.ts'
import { rootsOf, tracesOf } from './joined.ts'
import { inPrefix, type KeyColumn, type KeyRange } from './key-range.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'
import { beforeCutoff, type Scope } from './step.ts'

const traceKey = (id: string): readonly KeyColumn[] => ['project_id', id].map(sql => ({ sql, type: 'String' }))

export interface Batch extends KeyRange {
  readonly id: string
  readonly pairs: string
}

/** SQL condition for rows of the batch's traces. `id` is the column with the trace id. */
const ofBatch = (batch: Batch, id = 'trace_id') => `${inPrefix(traceKey(id), batch)} AND (project_id, ${id}) IN (${batch.pairs})`

const itemRoot = "if(ifNull(observation_id, '') = '', concat('t-', trace_id), observation_id)"

/** Stores the root span of each item. If several items have the same root span, the newest item is used. */
const itemRoots = ({ dialect, unfenced }: Session, batch: Batch) =>
  `INSERT INTO ${dialect.table(scratchNames.experimentSpans)} (batch, project_id, trace_id, span_id, item_id, root_span_id, level)
SELECT ${literal(batch.id)}, project_id, trace_id, root, argMax(id, (created_at, id)), root, 0
FROM (SELECT project_id, trace_id, id, created_at, ${itemRoot} AS root FROM ${dialect.table(scratchNames.experiments)} FINAL WHERE ${ofBatch(batch)})
WHERE ${unfenced} GROUP BY project_id, trace_id, root`

/**
 * Assigns the children of one level to the item of their parent. A child that already has an item keeps this item. The root spans of all
 * items have level 0 and get their items first. A span below several of these root spans therefore gets the item of the nearest one.
 */
const nextLevel = ({ dialect, unfenced }: Session, batch: Batch, level: number) => {
  const spans = dialect.table(scratchNames.experimentSpans)
  return `INSERT INTO ${spans} (batch, project_id, trace_id, span_id, item_id, root_span_id, level)
SELECT ${literal(batch.id)}, o.project_id, o.trace_id, o.id, above.item_id, above.root_span_id, ${level + 1}
FROM (SELECT project_id, trace_id, id, parent_observation_id FROM ${dialect.table(scratchNames.observations)} FINAL WHERE ${ofBatch(batch)}) AS o
INNER JOIN (SELECT project_id, trace_id, span_id, item_id, root_span_id FROM ${spans} WHERE batch = ${literal(batch.id)} AND level = ${level}) AS above
  ON above.project_id = o.project_id AND above.trace_id = o.trace_id AND above.span_id = ${parentOf('o')}
WHERE ${unfenced} AND (o.project_id, o.trace_id, o.id) NOT IN (SELECT project_id, trace_id, span_id FROM ${spans} WHERE batch = ${literal(batch.id)})`
}

export async function findTrees(session: Session, batch: Batch): Promise<void> {
  await session.run(itemRoots(session, batch))
  for (let level = 0; ; level++) {
    await session.run(nextLevel(session, batch, level))
    const [found] = await session.query<{ rows: string }>(
      `SELECT count() AS rows FROM ${session.dialect.table(scratchNames.experimentSpans)} WHERE batch = ${literal(batch.id)} AND level = ${level + 1}`,
    )
    if (Number(found!.rows) === 0) return
  }
}

/** SQL that joins a span with its run item. The alias `a` is the row that assigns the span to the item, and `i` is the item. */
function withItem({ dialect }: Session, batch: Batch, projectId: string, traceId: string, spanId: string): string {
  const spans = `SELECT project_id, trace_id, span_id, any(item_id) AS item_id, any(root_span_id) AS root_span_id
    FROM ${dialect.table(scratchNames.experimentSpans)} WHERE batch = ${literal(batch.id)} GROUP BY project_id, trace_id, span_id`
  const items = `SELECT * FROM ${dialect.table(scratchNames.experiments)} FINAL WHERE ${ofBatch(batch)}`
  return `LEFT ANY JOIN (${spans}) AS a ON a.project_id = ${projectId} AND a.trace_id = ${traceId} AND a.span_id = ${spanId}
  LEFT ANY JOIN (${items}) AS i ON i.project_id = ${projectId} AND i.trace_id = ${traceId} AND i.id = a.item_id`
}

/** Selects the traces that have an observation from before the cutoff. */
const spannedBefore = ({ dialect }: Session, batch: Batch, scope: Scope): string =>
  `SELECT project_id, trace_id FROM ${dialect.table(scratchNames.observations)} FINAL WHERE ${ofBatch(batch)} AND ${beforeCutoff('event_ts', scope)}`

const ofExperiment = { ...experimentColumns, experiment_item_root_span_id: 'a.root_span_id' }

/**
 * Returns an SQL condition that limits comparisons to the projects and months of the batch's old rows. Returns null if there are no old
 * rows.
 */
export async function rangeOf(scope: Scope, batch: Batch): Promise<string | null> {
  const { session, cutoffMs } = scope
  const { dialect, query } = session
  const [extent] = await query<{ rows: string; first: string; last: string }>(
    `SELECT count() AS rows, toString(toUnixTimestamp64Milli(min(time))) AS first, toString(toUnixTimestamp64Milli(max(time))) AS last FROM (
       SELECT start_time AS time FROM ${dialect.table(scratchNames.observations)} WHERE ${ofBatch(batch)}
       UNION ALL SELECT timestamp AS time FROM ${dialect.table(scratchNames.traces)} WHERE ${ofBatch(batch, 'id')}
         AND (event_ts < fromUnixTimestamp64Milli(toInt64(${cutoffMs})) OR (project_id, id) IN (${spannedBefore(session, batch, scope)})))`,
  )
  const { rows, first, last } = extent!
  if (Number(rows) === 0) return null
  const at = (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}))`
  // `last` is in milliseconds, but rows from the live path have microseconds. The condition therefore includes all of the last millisecond.
  return `${ofBatch(batch)} AND start_time >= ${at(first)} AND start_time < ${at(`${last} + 1`)}`
}

/**
 * Inserts a virtual root for each trace that has a row in the table `traces`. Traces with a root from OTel are left out, because they need
 * no virtual root. If the row of a trace is from before the cutoff, the trace is included even if it has no observation from before the
 * cutoff. A row from the cutoff or later was written by the live path. The trace of such a row is included only if `isLate` is true and the
 * trace has an observation from before the cutoff. `range` comes from `rangeOf`.
 */
export function rootsInsert(scope: Scope, batch: Batch, range: string, isLate: boolean): EventsInsert {
  const { session } = scope
  const newest = tracesOf(session, batch.pairs, batch)
  const pair = '(t.project_id, t.id)'
  const isBefore = beforeCutoff('t.event_ts', scope)
  return {
    columns: { ...rootColumns, ...ofExperiment },
    from: `(SELECT * FROM ${session.dialect.table('traces')} FINAL WHERE (project_id, toDate(timestamp), id) IN (SELECT project_id, toDate(timestamp), id FROM (${newest}))) AS t
  ${withItem(session, batch, 't.project_id', 't.id', "concat('t-', t.id)")}`,
    where: [
      isLate ? `(${isBefore} OR ${pair} IN (${spannedBefore(session, batch, scope)}))` : isBefore,
      `(t.project_id, t.id, t.timestamp) IN (SELECT project_id, id, timestamp FROM (${newest}))`,
      notDenied(session, 't.project_id', 't.id', batch),
      withoutOtelRoot(session, pair, batch),
    ],
    target: { month: null, range },
  }
}

/** Inserts the observations, and a virtual root for each trace that has no row in the table `traces` and no root from OTel. */
export function spansInserts(scope: Scope, batch: Batch, range: string): readonly EventsInsert[] {
  const { session } = scope
  const { dialect } = session
  const sorted = dialect.table(scratchNames.observations)
  const newest = tracesOf(session, batch.pairs, batch)
  const target = { month: null, range }
  const deniedOf = (projectId: string, traceId: string) => notDenied(session, projectId, traceId, batch)
  const observations = `SELECT * FROM ${sorted} FINAL WHERE ${ofBatch(batch)} AND ${beforeCutoff('event_ts', scope)}`
  return [
    {
      columns: { ...childColumns, ...ofExperiment },
      from: `(${observations}) AS o
  LEFT ANY JOIN (${newest}) AS t ON t.project_id = o.project_id AND t.id = o.trace_id
  LEFT ANY JOIN (${rootsOf(session, batch.pairs)}) AS r ON r.project_id = o.project_id AND r.trace_id = o.trace_id
  ${withItem(session, batch, 'o.project_id', 'o.trace_id', 'o.id')}`,
      where: [deniedOf('o.project_id', 'o.trace_id')],
      target,
    },
    {
      columns: { ...lentRootColumns, ...ofExperiment },
      from: `(SELECT project_id, trace_id, start_time, name, environment, created_at, updated_at, event_ts FROM (${observations})
    WHERE (project_id, trace_id) NOT IN (SELECT project_id, id FROM (${newest})) ORDER BY start_time, id LIMIT 1 BY project_id, trace_id) AS o
  ${withItem(session, batch, 'o.project_id', 'o.trace_id', "concat('t-', o.trace_id)")}`,
      where: [deniedOf('o.project_id', 'o.trace_id'), withoutOtelRoot(session, '(o.project_id, o.trace_id)', batch)],
      target,
    },
  ]
}
