// Lists prompts. Each name has one entry, with the versions that match the filter (contract §18.1).
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { Page, PageOf } from '../tenancy/pages.ts'
import { sql } from '../tenancy/sql.ts'
import { conditionOn, type PromptCondition } from './conditions.ts'

export interface PromptMeta {
  readonly name: string
  readonly type: string
  /** Numbers of the versions, in ascending order. */
  readonly versions: readonly number[]
  readonly labels: readonly string[]
  readonly tags: readonly string[]
  readonly lastUpdatedAt: Date
  /** Configuration of the newest matching version. */
  readonly lastConfig: unknown
}

export interface PromptFilter {
  readonly name?: string
  readonly version?: number
  readonly label?: string
  readonly tag?: string
  /** Inclusive. */
  readonly fromUpdatedAt?: Date
  /** Exclusive. */
  readonly toUpdatedAt?: Date
  readonly conditions?: readonly PromptCondition[]
}

const distinct = (lists: unknown): readonly string[] => [...new Set((lists as readonly (readonly string[])[]).flat())]

/** Returns one row for each prompt name, sorted by name. Throws `bad_request` for a malformed condition. */
export async function listPrompts(
  project: InProject,
  { name, version, label, tag, fromUpdatedAt, toUpdatedAt, conditions = [] }: PromptFilter,
  { page, limit }: Page,
): Promise<PageOf<PromptMeta>> {
  if ([name, label, tag].some(text => text !== undefined && !canBeId(text))) return { rows: [], totalItems: 0 }
  let query = project.select('prompts')
  if (name !== undefined) query = query.where('name', '=', name)
  if (version !== undefined) query = query.where(sql<boolean>`version = ${version}::bigint`)
  if (label !== undefined) query = query.where(sql<boolean>`${label} = any(labels)`)
  if (tag !== undefined) query = query.where(sql<boolean>`${tag} = any(tags)`)
  if (fromUpdatedAt !== undefined) query = query.where('updated_at', '>=', fromUpdatedAt)
  if (toUpdatedAt !== undefined) query = query.where('updated_at', '<', toUpdatedAt)
  for (const condition of conditions) query = query.where(conditionOn(condition))
  const counted = await query.select(sql<string>`count(distinct name)::text`.as('count')).executeTakeFirstOrThrow()
  const totalItems = Number(counted.count)
  const offset = (page - 1) * limit
  if (offset >= totalItems) return { rows: [], totalItems }
  const rows = await query
    .select([
      'name',
      sql<string>`(array_agg(type order by version desc))[1]`.as('type'),
      sql<number[]>`array_agg(version order by version)`.as('versions'),
      sql<unknown>`json_agg(labels order by version desc)`.as('labels'),
      sql<unknown>`json_agg(tags order by version desc)`.as('tags'),
      sql<Date>`max(updated_at)`.as('lastUpdatedAt'),
      sql<unknown>`(array_agg(config order by version desc))[1]`.as('lastConfig'),
    ])
    .groupBy('name')
    .orderBy('name')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows: rows.map(row => ({ ...row, labels: distinct(row.labels), tags: distinct(row.tags) })), totalItems }
}
