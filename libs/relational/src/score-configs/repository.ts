// Score configurations can be archived but are never deleted, because scores refer to them.
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson } from '../tenancy/json.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'
import { booleanCategories, requireValid, type ScoreCategory } from './rules.ts'

/** Requirements for the scores that refer to the configuration. */
export interface ScoreConfig {
  readonly id: string
  readonly name: string
  readonly dataType: string
  readonly isArchived: boolean
  readonly minValue: number | null
  readonly maxValue: number | null
  /** Only CATEGORICAL and BOOLEAN configurations have categories. */
  readonly categories: readonly ScoreCategory[]
}

export interface ScoreConfigDetails extends ScoreConfig {
  readonly projectId: string
  readonly description: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface NewScoreConfig {
  readonly name: string
  readonly dataType: string
  readonly minValue?: number | null
  readonly maxValue?: number | null
  readonly categories?: readonly ScoreCategory[] | null
  readonly description?: string | null
}

/** Absent fields stay unchanged. */
export interface ScoreConfigChange extends Partial<Omit<NewScoreConfig, 'dataType'>> {
  readonly isArchived?: boolean
}

const isCategory = (entry: unknown): entry is ScoreCategory =>
  typeof entry === 'object' &&
  entry !== null &&
  typeof (entry as Partial<ScoreCategory>).label === 'string' &&
  typeof (entry as Partial<ScoreCategory>).value === 'number'

const viewOf = (row: RowOf<'score_configs'>): ScoreConfigDetails => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  description: row.description,
  dataType: row.data_type,
  isArchived: row.is_archived,
  minValue: row.min_value,
  maxValue: row.max_value,
  categories: Array.isArray(row.categories) ? row.categories.filter(isCategory) : [],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Throws `relational_unavailable`. */
export async function readScoreConfigs(project: InProject, ids: readonly string[]): Promise<readonly ScoreConfig[]> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return []
  return (await project.select('score_configs').selectAll().where('id', 'in', possible).execute()).map(viewOf)
}

export async function getScoreConfig(project: InProject, id: string): Promise<ScoreConfigDetails | undefined> {
  const row = await project.find('score_configs', id)
  return row && viewOf(row)
}

/** Newest first, including archived configurations. */
export async function listScoreConfigs(project: InProject, page: Page): Promise<PageOf<ScoreConfigDetails>> {
  return mapPage(await pageOf(project.select('score_configs').selectAll().orderBy('created_at', 'desc').orderBy('id'), page), viewOf)
}

/** A BOOLEAN configuration has fixed categories, so clients cannot set any. */
const storedCategories = (dataType: string, categories: readonly ScoreCategory[] | null) =>
  storableJson(dataType === 'BOOLEAN' ? booleanCategories : categories)

/** Throws `bad_request` if the configuration breaks a rule of its type. */
export async function createScoreConfig(project: InProject, by: Author, given: NewScoreConfig): Promise<ScoreConfigDetails> {
  const { name, dataType, minValue = null, maxValue = null, categories = null, description = null } = given
  requireValid({ name, dataType, minValue, maxValue, categories })
  return project.write(by, async rows => {
    const row = await rows
      .insert('score_configs', {
        ...{ id: randomUUID(), name, data_type: dataType, min_value: minValue, max_value: maxValue, description },
        ...{ categories: storedCategories(dataType, categories), is_archived: false, ...timesAt(by.at) },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const value = viewOf(row)
    return { value, audit: [{ resourceType: 'scoreConfig', resourceId: value.id, action: 'create', after: value }] }
  })
}

/** Throws `bad_request` if the changed configuration would break a rule of its type. */
export async function updateScoreConfig(
  project: InProject,
  by: Author,
  id: string,
  change: ScoreConfigChange,
): Promise<ScoreConfigDetails | undefined> {
  if (!canBeId(id)) return undefined
  return project.write(by, async rows => {
    const found = await rows.select('score_configs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    if (found === undefined) return { value: undefined, audit: [] }
    const before = viewOf(found)
    const { name, minValue, maxValue, description, isArchived } = { ...before, ...defined(change) }
    const own = before.dataType === 'CATEGORICAL' ? before.categories : null
    const categories = change.categories === undefined ? own : change.categories
    requireValid({ name, dataType: before.dataType, minValue, maxValue, categories })
    const row = await rows
      .update('score_configs')
      .set({
        ...{ name, min_value: minValue, max_value: maxValue, description, is_archived: isArchived, updated_at: by.at },
        categories: storedCategories(before.dataType, categories),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = viewOf(row)
    return { value: after, audit: [{ resourceType: 'scoreConfig', resourceId: id, action: 'update', before, after }] }
  })
}

const defined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]> | Extract<T[K], null>
  }
