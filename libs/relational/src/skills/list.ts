// Lists the newest version of each skill of a project.
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { Page, PageOf } from '../tenancy/pages.ts'
import { sql } from '../tenancy/sql.ts'

export interface SkillFilter {
  readonly name?: string
  /** A part of the name or description; case does not matter. */
  readonly search?: string
  readonly tag?: string
  /** Selects skills whose newest version was last updated in this time range. The end of the range is exclusive. */
  readonly fromUpdatedAt?: Date
  readonly toUpdatedAt?: Date
}

export interface SkillMeta {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly latestVersion: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly productionVersion: number | null
}

export async function listSkills(project: InProject, filter: SkillFilter, { page, limit }: Page): Promise<PageOf<SkillMeta>> {
  const { name, search, tag, fromUpdatedAt, toUpdatedAt } = filter
  if ([name, search, tag].some(text => text !== undefined && !canBeId(text))) return { rows: [], totalItems: 0 }
  const newest = sql<boolean>`skill_versions.version = (select max(v.version) from skill_versions v where v.skill_id = skills.id)`
  let query = project.select('skills').innerJoin('skill_versions', 'skill_versions.skill_id', 'skills.id').where(newest)
  if (name !== undefined) query = query.where('skills.name', '=', name)
  if (search !== undefined) {
    const part = search.toLowerCase()
    query = query.where(sql<boolean>`(strpos(lower(skills.name), ${part}) > 0 or strpos(lower(skill_versions.description), ${part}) > 0)`)
  }
  if (tag !== undefined) query = query.where(sql<boolean>`${tag} = any(skills.tags)`)
  if (fromUpdatedAt !== undefined) query = query.where('skill_versions.updated_at', '>=', fromUpdatedAt)
  if (toUpdatedAt !== undefined) query = query.where('skill_versions.updated_at', '<', toUpdatedAt)
  const { count } = await query.select(sql<string>`count(*)::text`.as('count')).executeTakeFirstOrThrow()
  const production = sql<
    number | null
  >`(select p.version from skill_versions p where p.skill_id = skills.id and 'production' = any(p.labels))`
  const rows = await query
    .select(['skills.name', 'skills.tags', 'skill_versions.description', 'skill_versions.version'])
    .select(['skill_versions.created_at', 'skill_versions.updated_at', production.as('production')])
    .orderBy('skills.name')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute()
  return {
    totalItems: Number(count),
    rows: rows.map(row => ({
      ...{ name: row.name, description: row.description, tags: row.tags, latestVersion: row.version },
      ...{ createdAt: row.created_at, updatedAt: row.updated_at, productionVersion: row.production },
    })),
  }
}
