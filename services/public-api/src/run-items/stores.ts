import type { ColumnStore } from '@svc-server/column-store/port'
import { type DatasetItem, type DatasetItemContents, findDatasetItem, readDatasetItem } from '@svc-server/relational/dataset-item-versions'
import { type DatasetRun, ensureDatasetRun, type NewDatasetRun } from '@svc-server/relational/dataset-runs'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject } from '@svc-server/relational/tenancy'

export interface RunItemStores {
  /** `at`: null means now. */
  findItem(projectId: string, id: string, at: string | null): Promise<DatasetItem | undefined>
  readItem(projectId: string, item: DatasetItem): Promise<DatasetItemContents | undefined>
  /** Creates the run if it is missing. Undefined if the dataset was deleted. */
  ensureRun(run: NewDatasetRun & { readonly projectId: string }): Promise<DatasetRun | undefined>
  /** Undefined if there is no such observation. */
  traceOf(projectId: string, observationId: string): Promise<string | undefined>
}

export const createRunItemStores = (relational: Pick<RelationalStore, 'db'>, columnStore: Pick<ColumnStore, 'query'>): RunItemStores => ({
  findItem: (projectId, id, at) => findDatasetItem(inProject(relational, projectId), id, at),
  readItem: (projectId, item) => readDatasetItem(inProject(relational, projectId), item),
  ensureRun: ({ projectId, ...run }) => ensureDatasetRun(inProject(relational, projectId), run),
  async traceOf(projectId, id) {
    // If an observation moved to another key, its previous key has a tombstone with the same version. The query prefers rows that are not
    // deleted.
    const [row] = await columnStore.query<{ readonly trace_id: string | null; readonly is_deleted: number }>(
      `SELECT trace_id, is_deleted FROM observations WHERE project_id = {projectId:String} AND id = {id:String}
       ORDER BY event_ts DESC, is_deleted ASC LIMIT 1`,
      { projectId, id },
    )
    return row === undefined || row.is_deleted === 1 || !row.trace_id ? undefined : row.trace_id
  },
})
