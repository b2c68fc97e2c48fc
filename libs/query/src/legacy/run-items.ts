// Reads items of dataset runs (contract §20.8).
import { millis, type RowOf } from '../sql/field.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { isoOfMillis } from '../times.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { keysOfPage, type PageAsked, type PageMeta } from './page.ts'
import { i, runItems } from './tables.ts'

interface ListedRunItem {
  readonly id: string
  readonly datasetRunId: string
  readonly datasetRunName: string
  readonly datasetItemId: string
  readonly traceId: string
  readonly observationId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface OfRun {
  readonly datasetId: string
  readonly runId: string
}

const fields = {
  ...{ id: i.id, run: i.dataset_run_id, run_name: i.dataset_run_name, item: i.dataset_item_id, trace: i.trace_id },
  ...{ observation: i.observation_id, created_ms: millis(i.created_at), updated_ms: millis(i.updated_at) },
}

const viewOf = (row: RowOf<typeof fields>): ListedRunItem => ({
  ...{ id: row.id, datasetRunId: row.run, datasetRunName: row.run_name, datasetItemId: row.item },
  ...{ traceId: row.trace, observationId: row.observation || null },
  ...{ createdAt: isoOfMillis(row.created_ms), updatedAt: isoOfMillis(row.updated_ms) },
})

const source = (project: string) => newestIn(runItems, { project, time: { everyTime: 'Items of a run may have any time' } })
const ofRun = ({ datasetId, runId }: OfRun) => [
  sql`${i.dataset_id.sql} = ${value('String', datasetId)}`,
  sql`${i.dataset_run_id.sql} = ${value('String', runId)}`,
]
const orderBy = sql`${i.created_at.sql} DESC, ${i.id.sql}`

/** Returns a page of run items, newest first. Throws a `column_store_*` error, or the abort signal's reason. */
export async function listRunItems(
  columnStore: Reads,
  { projectId, query, signal }: Asked<OfRun & PageAsked>,
): Promise<{ readonly data: readonly ListedRunItem[]; readonly meta: PageMeta }> {
  const bounds = boundsOf('legacy.runItems', 'a page of run items', signal)
  const keyed = { source: source(projectId), where: ofRun(query), key: fields, orderBy }
  const { keys, meta } = await keysOfPage(columnStore, keyed, query, bounds)
  return { data: keys.map(viewOf), meta }
}

/** Returns all items of a run, newest first. A run of more than 100,000 items fails with `column_store_overloaded`. */
export async function runItemsOfRun(columnStore: Reads, { projectId, query, signal }: Asked<OfRun>): Promise<readonly ListedRunItem[]> {
  const bounds = boundsOf('legacy.runItems', 'the items of a run', signal)
  return (await read(columnStore, select(source(projectId), fields, { where: ofRun(query), orderBy }), bounds)).map(viewOf)
}
