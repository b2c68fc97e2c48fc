// Runs of datasets: one is made when its first item arrives (public-api-legacy.md §4.8).
import { isMissingReference } from '../tenancy/conflicts.ts'
import type { InProject } from '../tenancy/handles.ts'
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
  /** JSON text, which a jsonb can hold: without NUL and lone surrogates. */
  readonly metadata: string | null
  readonly createdAt: Date
}

/**
 * The dataset's run of that name; made with what is given when there is none, however many ask at once.
 * Undefined: the dataset was deleted. Throws `relational_unavailable`.
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
        // Somebody else may have been first.
        .onConflict(conflict => conflict.doNothing())
        .execute(),
    )
  } catch (error) {
    if (isMissingReference(error)) return undefined
    throw error
  }
  return named()
}
