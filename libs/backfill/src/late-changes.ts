// Applies changes that reached the old tables after the backfill had read the chunk with the changed rows. The result is as if these
// changes had arrived before the chunk was read. The live path writes the changed rows. This phase updates the backfill rows that take
// values from changed rows. A child row takes values from three kinds of rows: its trace, the run items of this trace, and the OTel root
// span of this trace. The live path can write a trace's row without a virtual root. This phase then writes the missing virtual root, or
// updates the virtual root that the backfill wrote earlier. If a trace has no row in `traces`, the backfill still writes a virtual root for
// the trace (a lent root). When `traces` gets a row for this trace, a virtual root made from this row replaces the lent root.

import { randomUUID } from 'node:crypto'
import type { Chunk } from './chunks.ts'
import { type Batch, findTrees, rangeOf, rootsInsert, spansInserts } from './experiment-batch.ts'
import { monthBounds, monthsOf } from './months.ts'
import { hideStrayRoots, restate } from './restate-events.ts'
import { scratchExperimentColumns, scratchNames, scratchObservationColumns, scratchTraceColumns } from './scratch.ts'
import type { Session } from './session.ts'
import { changedSource, rowsIn } from './sources.ts'
import { beforeCutoff, type Phase, type Scope, sinceCutoff } from './step.ts'
import { sortedColumns } from './steps-observations.ts'
import { writeEvents } from './write-events.ts'

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
    // The copied rows include tombstones, because a moved trace has a tombstone at its former key.
    const names = scratchTraceColumns.join(', ')
    await run(`INSERT INTO ${dialect.table(scratchNames.traces)} (${names}) SELECT ${names} ${late}`)
    await run(`${note(session, String(month), 'project_id', 'id')} ${late}`)
  }
}

async function collectRoots(scope: Scope): Promise<void> {
  const { session } = scope
  const { dialect, unfenced, run } = session
  for (const month of await monthsOf(session, 'events_full')) {
    const late = `FROM ${dialect.table('events_full')} FINAL WHERE ${monthBounds('start_time', month)} AND parent_span_id = '' AND span_id != concat('t-', trace_id)
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

/**
 * Collects spans that started before the cutoff and changed since the cutoff, because the experiments of other spans can depend on these
 * spans.
 */
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

export const restateChanged: Phase = {
  name: 'events of what changed meanwhile',
  source: changedSource,
  async bring(scope: Scope, chunk: Chunk, inDoubt) {
    const { session } = scope
    const table = session.dialect.table(scratchNames.changed)
    const pairs = `SELECT project_id, trace_id FROM ${table} WHERE ${rowsIn(changedSource, chunk)}`
    const batch: Batch = { id: randomUUID(), pairs, after: chunk.after, upTo: chunk.upTo }
    const range = await rangeOf(scope, batch)
    if (range === null) return
    await findTrees(session, batch)
    const roots = rootsInsert(scope, batch, range, true)
    for (const insert of [...spansInserts(scope, batch, range), roots]) await session.run(restate(session, insert))
    await session.run(hideStrayRoots(session, batch, range))
    await writeEvents(session, [roots], inDoubt)
  },
}
