// Deletes a project in two steps. The first step ends the access to the project. The second step deletes the rows of the relational store,
// after the column store has no more data of the project.

import { projectObject } from '../deletions/object-id.ts'
import { noteDeletions } from '../deletions/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, Instance, InstanceRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'

export interface ProjectDeletion extends Author {
  readonly projectId: string
  /** If given, the project must belong to this organization. */
  readonly orgId?: string
}

/**
 * Removes the project's keys, marks the project as deleted, and records its deletion. Returns the ids of the removed keys. Throws
 * `relational_unavailable`.
 */
export async function softDeleteProject(project: InProject, by: Author, orgId?: string): Promise<readonly string[] | undefined> {
  const { projectId } = project
  if (!canBeId(projectId)) return undefined
  return project.write(by, async rows => {
    const row = await rows.select('projects').selectAll().forUpdate().executeTakeFirst()
    if (row === undefined || (orgId !== undefined && row.org_id !== orgId)) return { value: undefined, audit: [] }
    const isFirst = row.deleted_at === null
    if (isFirst) await rows.update('projects').set({ deleted_at: by.at, updated_at: by.at }).execute()
    const keys = await rows.delete('api_keys').returning('id').execute()
    await noteDeletions(rows, projectId, null, by.at)
    const before = { name: row.name, metadata: row.metadata, retentionDays: row.retention_days ?? 0 }
    const entry = { resourceType: 'project', resourceId: projectId, action: 'delete', before } as const
    return { value: keys.map(({ id }) => id), audit: isFirst ? [entry] : [] }
  })
}

/** Deletes all rows of a project that is marked as deleted. The project's id stays reserved. Throws `relational_unavailable`. */
export const purgeProject = (all: Instance, projectId: string, now: Date): Promise<void> =>
  all.unaudited(async rows => {
    const row = await rows.select('projects').select('deleted_at').where('id', '=', projectId).forUpdate().executeTakeFirst()
    if (row === undefined || row.deleted_at === null) return
    await rows
      .insert('deleted_projects', { id: projectId, requested_at: row.deleted_at, deleted_at: now })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    await rows.delete('projects').where('id', '=', projectId).execute()
  })

/** True if the project is completely deleted. Its id is never reused, and data that arrives for it is denied. */
export async function wasDeleted(rows: Pick<InstanceRows, 'select'>, projectId: string): Promise<boolean> {
  return (await rows.select('deleted_projects').select('id').where('id', '=', projectId).executeTakeFirst()) !== undefined
}

/** Throws `relational_unavailable`. */
export async function wasEverProject(all: Instance, projectId: string): Promise<boolean> {
  return (await all.find('projects', projectId)) !== undefined || (canBeId(projectId) && (await wasDeleted(all, projectId)))
}

/** Returns deleted projects that no longer have readable rows or media. The caller must call `purgeProject` for them. */
export async function readPurgeable(all: Instance): Promise<readonly string[]> {
  const noted = all.select('pending_deletions').select('project_id').where('object', '=', projectObject)
  const rows = await all
    .select('projects')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('id', 'in', noted.where('is_deleted', '=', true))
    .where('id', 'not in', noted.where('is_deleted', '=', false))
    // A project with rows in `media` cannot be purged yet. The project's files must be removed first, and these rows contain the files'
    // locations.
    .where('id', 'not in', all.select('media').select('project_id'))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
