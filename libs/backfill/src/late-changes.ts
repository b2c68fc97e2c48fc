// What changed in the old tables after its chunk was read ends as if it had come before. Rows of their own are the live path's; what is left are the rows of the
// backfill that depend on others: children by their trace's properties, its run items and its root by OTel, and roots that were lent to traces without a row.

import { randomUUID } from 'node:crypto'
import type { Chunk } from './chunks.ts'
import { type Batch, findTrees, insertsOf, ofBatch } from './experiment-batch.ts'
import { monthBounds } from './months.ts'
import { hideStrayRoots, restate } from './restate-events.ts'
import { scratchExperimentColumns, scratchNames, scratchObservationColumns, scratchTraceColumns } from './scratch.ts'
import type { Session } from './session.ts'
import { changedSource, rowsIn } from './sources.ts'
import { beforeCutoff, type Phase, type Scope, sinceCutoff } from './step.ts'
import { sortedColumns } from './steps-observations.ts'

const monthsOf = async ({ query }: Session, table: string): Promise<readonly number[]> => {
  const rows = await query<{ month: string }>(
    `SELECT DISTINCT partition AS month FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active`,
  )
  return rows.map(({ month }) => Number(month))
}

/** Statements that stream one column, a month each; those of new traces find nothing to change later on. */
async function collect(scope: Scope): Promise<void> {
  await collectTraces(scope)
  await collectRoots(scope)
  await collectItems(scope)
  await collectSpans(scope)
}

const note = ({ dialect }: Session, month: string, projectId: string, traceId: string) =>
  `INSERT INTO ${dialect.table(scratchNames.changed)} (month, project_id, trace_id) SELECT DISTINCT ${month}, ${projectId}, ${traceId}`

async function collectTraces(scope: Scope): Promise<void> {
  const { session } = scope
  const { dialect, unfenced, run } = session
  for (const month of await monthsOf(session, 'traces')) {
    const late = `FROM ${dialect.table('traces')} WHERE toYYYYMM(timestamp) = ${month} AND ${sinceCutoff('event_ts', scope)} AND ${unfenced}`
    // Tombstones, too: a trace that was moved has one where it stood.
    const names = scratchTraceColumns.join(', ')
    await run(`INSERT INTO ${dialect.table(scratchNames.traces)} (${names}) SELECT ${names} ${late}`)
    await run(`${note(session, String(month), 'project_id', 'id')} ${late}`)
  }
}

async function collectRoots(scope: Scope): Promise<void> {
  const { session } = scope
  const { dialect, unfenced, run } = session
  for (const month of await monthsOf(session, 'events_full')) {
    const late = `FROM ${dialect.table('events_full')} WHERE ${monthBounds('start_time', month)} AND parent_span_id = '' AND span_id != concat('t-', trace_id)
      AND is_deleted = 0 AND ${sinceCutoff('event_ts', scope)} AND ${unfenced}`
    await run(
      `INSERT INTO ${dialect.table(scratchNames.roots)} (project_id, trace_id, span_id) SELECT project_id, trace_id, span_id ${late}`,
    )
    await run(`${note(session, String(month), 'project_id', 'trace_id')} ${late}`)
  }
}

async function collectItems(scope: Scope): Promise<void> {
  const { session } = scope
  const { dialect, unfenced, run } = session
  const items = `FROM ${dialect.table('dataset_run_items_rmt')} WHERE ${sinceCutoff('event_ts', scope)} AND ${unfenced}`
  const names = scratchExperimentColumns.join(', ')
  await run(`INSERT INTO ${dialect.table(scratchNames.experiments)} (${names}) SELECT ${names} ${items}`)
  await run(`${note(session, 'toYYYYMM(created_at)', 'project_id', 'trace_id')} ${items}`)
}

/** Older spans of experiments alone: which tree another span is in may depend on them. */
async function collectSpans(scope: Scope): Promise<void> {
  const { session } = scope
  const { dialect, unfenced, run } = session
  const trees = `SELECT project_id, trace_id FROM ${dialect.table(scratchNames.experiments)}`
  for (const month of await monthsOf(session, 'observations')) {
    const late = `FROM ${dialect.table('observations')} AS o WHERE toYYYYMM(o.start_time) = ${month} AND ${beforeCutoff('o.start_time', scope)}
      AND ${sinceCutoff('o.event_ts', scope)} AND (o.project_id, o.trace_id) IN (${trees}) AND ${unfenced}`
    const names = scratchObservationColumns.join(', ')
    await run(`INSERT INTO ${dialect.table(scratchNames.observations)} (${names}) SELECT ${sortedColumns(scope)} ${late}`)
    await run(`${note(session, String(month), 'o.project_id', 'o.trace_id')} ${late}`)
  }
}

export const collectChanges: Phase = { name: 'traces that changed meanwhile', source: null, prepare: collect }

interface Extent {
  readonly rows: string
  readonly first: string
  readonly last: string
}

/** Between which times the batch's rows of before lie, in milliseconds. Null: it has none, its traces are new. */
async function extentOf({ session: { dialect, query }, cutoffMs }: Scope, batch: Batch): Promise<Extent | null> {
  const [extent] = await query<Extent>(
    `SELECT count() AS rows, toString(toUnixTimestamp64Milli(min(time))) AS first, toString(toUnixTimestamp64Milli(max(time))) AS last FROM (
       SELECT start_time AS time FROM ${dialect.table(scratchNames.observations)} WHERE ${ofBatch(batch)}
       UNION ALL SELECT timestamp AS time FROM ${dialect.table(scratchNames.traces)} WHERE ${ofBatch(batch, 'id')} AND event_ts < fromUnixTimestamp64Milli(toInt64(${cutoffMs})))`,
  )
  return Number(extent!.rows) === 0 ? null : extent!
}

export const restateChanged: Phase = {
  name: 'events of what changed meanwhile',
  source: changedSource,
  async bring(scope: Scope, chunk: Chunk) {
    const { session } = scope
    const table = session.dialect.table(scratchNames.changed)
    const pairs = `SELECT project_id, trace_id FROM ${table} WHERE ${rowsIn(changedSource, chunk)}`
    const batch: Batch = { id: randomUUID(), pairs, after: chunk.after, upTo: chunk.upTo }
    const extent = await extentOf(scope, batch)
    if (extent === null) return
    await findTrees(session, batch)
    const at = (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}))`
    const range = `${ofBatch(batch)} AND start_time >= ${at(extent.first)} AND start_time <= ${at(extent.last)}`
    for (const insert of insertsOf(scope, batch)) await session.run(restate(session, { ...insert, target: { month: null, range } }))
    await session.run(hideStrayRoots(session, batch, range))
  },
}
