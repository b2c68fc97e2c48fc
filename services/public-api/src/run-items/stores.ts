// The stores that the API reads and writes for run items.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type DatasetItem, type DatasetItemContents, findDatasetItem, readDatasetItem } from '@svc-server/relational/dataset-item-versions'
import { type DatasetRun, ensureDatasetRun, type NewDatasetRun } from '@svc-server/relational/dataset-runs'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject } from '@svc-server/relational/tenancy'

export interface RunItemStores {
  /** The item's current or past version; undefined if the project has no such item. */
  findItem(projectId: string, id: string, at: string | null): Promise<DatasetItem | undefined>
  readItem(projectId: string, item: DatasetItem): Promise<DatasetItemContents | undefined>
  /** Returns the run with the given name, and creates it if it is missing. Returns undefined if the dataset was deleted. */
  ensureRun(run: NewDatasetRun & { readonly projectId: string }): Promise<DatasetRun | undefined>
  /**
   * Returns the trace of an observation in v3's table. In the modes that use this function, the table has all observations. Returns
   * undefined if v3's table has no such observation.
   */
  traceOf(projectId: string, observationId: string): Promise<string | undefined>
}

export const createRunItemStores = (relational: Pick<RelationalStore, 'db'>, columnStore: Pick<ColumnStore, 'query'>): RunItemStores => ({
  findItem: (projectId, id, at) => findDatasetItem(inProject(relational, projectId), id, at),
  readItem: (projectId, item) => readDatasetItem(inProject(relational, projectId), item),
  ensureRun: ({ projectId, ...run }) => ensureDatasetRun(inProject(relational, projectId), run),
  async traceOf(projectId, id) {
    // If an observation was moved to a different key, the table has a tombstone with the same version at its previous key.
    const [row] = await columnStore.query<{ readonly trace_id: string | null; readonly is_deleted: number }>(
      `SELECT trace_id, is_deleted FROM observations WHERE project_id = {projectId:String} AND id = {id:String}
       ORDER BY event_ts DESC, is_deleted ASC LIMIT 1`,
      { projectId, id },
    )
    return row === undefined || row.is_deleted === 1 || !row.trace_id ? undefined : row.trace_id
  },
})
