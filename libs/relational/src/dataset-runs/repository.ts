// Dataset runs; a run is created when its first item arrives (contract §20.8).
import type { Author } from '../tenancy/audit.ts'
import { isMissingReference } from '../tenancy/conflicts.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'

export interface DatasetRun {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /** JSON text. */
  readonly metadata: string | null
  readonly createdAt: Date
}

export interface NewDatasetRun {
  readonly id: string
  readonly datasetId: string
  readonly name: string
  readonly description: string | null
  /** JSON text for a jsonb column, without NUL and unpaired surrogates. */
  readonly metadata: string | null
  readonly createdAt: Date
}

/**
 * Returns the dataset's run with this name, or creates it. Returns undefined if the dataset was deleted. Throws `relational_unavailable`.
 */
export async function ensureDatasetRun(
  project: InProject,
  { id, datasetId, name, description, metadata, createdAt }: NewDatasetRun,
): Promise<DatasetRun | undefined> {
  const named = () =>
    project
      .select('dataset_runs')
      .select(['id', 'name', 'description', 'created_at as createdAt', sql<string | null>`metadata::text`.as('metadata')])
      .where('dataset_id', '=', datasetId)
      .where('name', '=', name)
      .executeTakeFirst()
  const found = await named()
  if (found !== undefined) return found
  const row = { id, dataset_id: datasetId, name, description, metadata, ...timesAt(createdAt) }
  try {
    await project.unaudited(rows =>
      rows
        .insert('dataset_runs', row)
        // A concurrent request may have created the run.
        .onConflict(conflict => conflict.doNothing())
        .execute(),
    )
  } catch (error) {
    if (isMissingReference(error)) return undefined
    throw error
  }
  return named()
}

/** A dataset run whose metadata is parsed. */
export interface ListedDatasetRun extends Omit<DatasetRun, 'metadata'> {
  readonly metadata: unknown
  readonly datasetId: string
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'dataset_runs'>): ListedDatasetRun => ({
  ...{ id: row.id, name: row.name, description: row.description, metadata: row.metadata, datasetId: row.dataset_id },
  ...{ createdAt: row.created_at, updatedAt: row.updated_at },
})

/** Throws `relational_unavailable`. */
export async function findDatasetRun(
  project: InProject,
  { datasetId, name }: { readonly datasetId: string; readonly name: string },
): Promise<ListedDatasetRun | undefined> {
  if (!canBeId(datasetId) || !canBeId(name)) return undefined
  const row = await project
    .select('dataset_runs')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row && viewOf(row)
}

/** Newest first. */
export const listDatasetRuns = async (project: InProject, datasetId: string, page: Page): Promise<PageOf<ListedDatasetRun>> =>
  mapPage(
    await pageOf(
      project.select('dataset_runs').selectAll().where('dataset_id', '=', datasetId).orderBy('created_at', 'desc').orderBy('id'),
      page,
    ),
    viewOf,
  )

export const deleteDatasetRun = (project: InProject, by: Author, run: ListedDatasetRun): Promise<boolean> =>
  project.write(by, async rows => {
    const deleted = await rows.delete('dataset_runs').where('id', '=', run.id).returning('id').execute()
    if (deleted.length === 0) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType: 'datasetRun', resourceId: run.id, action: 'delete', before: run }] }
  })
