// Runs of datasets: one is made when its first item comes (public-api-legacy.md §4.8).
import { sql } from 'kysely'
import type { RelationalStore } from '../store/store.ts'
import { classified, isForeignKeyViolation } from '../store/store-errors.ts'

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
  readonly projectId: string
  readonly datasetId: string
  readonly name: string
  readonly description: string | null
  /** JSON text, which a jsonb can hold: without NUL and lone surrogates. */
  readonly metadata: string | null
  readonly createdAt: Date
}

/**
 * The dataset's run of that name; made with what is given when there is none, however many ask at once.
 * Undefined: the dataset is gone. Throws `relational_unavailable`.
 */
export const ensureDatasetRun = (
  { db }: Pick<RelationalStore, 'db'>,
  { id, projectId, datasetId, name, description, metadata, createdAt }: NewDatasetRun,
): Promise<DatasetRun | undefined> =>
  classified(async () => {
    const named = () =>
      db
        .selectFrom('dataset_runs')
        .select(['id', 'name', 'description', 'created_at as createdAt', sql<string | null>`metadata::text`.as('metadata')])
        .where('project_id', '=', projectId)
        .where('dataset_id', '=', datasetId)
        .where('name', '=', name)
        .executeTakeFirst()
    const found = await named()
    if (found !== undefined) return found
    try {
      await db
        .insertInto('dataset_runs')
        .values({
          id,
          project_id: projectId,
          dataset_id: datasetId,
          name,
          description,
          metadata,
          created_at: createdAt,
          updated_at: createdAt,
        })
        // Somebody else may have been first.
        .onConflict(conflict => conflict.doNothing())
        .execute()
    } catch (error) {
      if (isForeignKeyViolation(error)) return undefined
      throw error
    }
    return named()
  })
