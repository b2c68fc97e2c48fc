// Score configurations: what a score that names one must be.
import type { RelationalStore } from '../store/store.ts'
import { classified } from '../store/store-errors.ts'

interface ScoreCategory {
  readonly label: string
  readonly value: number
}

export interface ScoreConfig {
  readonly id: string
  readonly name: string
  readonly dataType: string
  readonly isArchived: boolean
  readonly minValue: number | null
  readonly maxValue: number | null
  /** Of a CATEGORICAL one. */
  readonly categories: readonly ScoreCategory[]
}

const isCategory = (entry: unknown): entry is ScoreCategory =>
  typeof entry === 'object' &&
  entry !== null &&
  typeof (entry as Partial<ScoreCategory>).label === 'string' &&
  typeof (entry as Partial<ScoreCategory>).value === 'number'

/** Those of the project that have these ids, in one query. Throws `relational_unavailable`. */
export const readScoreConfigs = (
  { db }: Pick<RelationalStore, 'db'>,
  projectId: string,
  ids: readonly string[],
): Promise<readonly ScoreConfig[]> =>
  classified(async () => {
    // NUL is an error there, and in no id.
    const possible = ids.filter(id => !id.includes('\0'))
    if (possible.length === 0) return []
    const rows = await db.selectFrom('score_configs').selectAll().where('project_id', '=', projectId).where('id', 'in', possible).execute()
    return rows.map(row => ({
      id: row.id,
      name: row.name,
      dataType: row.data_type,
      isArchived: row.is_archived,
      minValue: row.min_value,
      maxValue: row.max_value,
      categories: Array.isArray(row.categories) ? row.categories.filter(isCategory) : [],
    }))
  })
