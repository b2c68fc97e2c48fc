// A project goes in two steps: it is taken away from everybody at once, and its rows here follow when the column store has
// none of it any more.
import { type Actor, writeAuditLog } from '../deletions/audit-log.ts'
import { projectObject } from '../deletions/object-id.ts'
import { noteDeletions } from '../deletions/pending-deletions.ts'
import type { RelationalStore } from '../store/store.ts'
import { classified } from '../store/store-errors.ts'

export interface ProjectDeletion {
  readonly projectId: string
  /** Absent: whatever organisation it belongs to. */
  readonly orgId?: string
  readonly actor: Actor
  readonly at: Date
}

/**
 * Removes the project's keys, marks it deleted and notes its deletion. Asked again before its data are gone, notes it again.
 * Resolves with the ids of the keys that were removed; undefined: there is no such project. Throws `relational_unavailable`.
 */
export const softDeleteProject = (
  { db }: Pick<RelationalStore, 'db'>,
  { projectId, orgId, actor, at }: ProjectDeletion,
): Promise<readonly string[] | undefined> =>
  classified(() =>
    db.transaction().execute(async trx => {
      const row = await trx.selectFrom('projects').selectAll().where('id', '=', projectId).forUpdate().executeTakeFirst()
      if (row === undefined || (orgId !== undefined && row.org_id !== orgId)) return undefined
      if (row.deleted_at === null) {
        await trx.updateTable('projects').set({ deleted_at: at, updated_at: at }).where('id', '=', projectId).execute()
        const before = { name: row.name, metadata: row.metadata, retentionDays: row.retention_days ?? 0 }
        const resource = { resourceType: 'project', resourceId: projectId, projectId } as const
        await writeAuditLog(trx, [{ actor, orgId: row.org_id, ...resource, action: 'delete', before }], at)
      }
      const keys = await trx.deleteFrom('api_keys').where('project_id', '=', projectId).returning('id').execute()
      await noteDeletions(trx, [{ projectId, traceId: null }], at)
      return keys.map(({ id }) => id)
    }),
  )

/**
 * The last step: the project's row, with everything here that belongs to it. Its id stays, so that nobody gets it again. Only
 * of a project that is marked deleted. Throws `relational_unavailable`.
 */
export const purgeProject = ({ db }: Pick<RelationalStore, 'db'>, projectId: string, now: Date): Promise<void> =>
  classified(() =>
    db.transaction().execute(async trx => {
      const row = await trx.selectFrom('projects').select('deleted_at').where('id', '=', projectId).forUpdate().executeTakeFirst()
      if (row === undefined || row.deleted_at === null) return
      const values = { id: projectId, requested_at: row.deleted_at, deleted_at: now }
      await trx
        .insertInto('deleted_projects')
        .values(values)
        .onConflict(conflict => conflict.doNothing())
        .execute()
      await trx.deleteFrom('projects').where('id', '=', projectId).execute()
    }),
  )

/** Nothing is left of it. Its id is never used again: what comes under it is denied. */
export async function wasDeleted(db: RelationalStore['db'], projectId: string): Promise<boolean> {
  return (await db.selectFrom('deleted_projects').select('id').where('id', '=', projectId).executeTakeFirst()) !== undefined
}

/** Whether there is or was a project of this id: one that is deleted, too, and one of which nothing is left here. Throws `relational_unavailable`. */
export const wasEverProject = ({ db }: Pick<RelationalStore, 'db'>, projectId: string): Promise<boolean> =>
  classified(async () => {
    const row = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
    return row !== undefined || (await wasDeleted(db, projectId))
  })

/** Deleted projects of which no reader sees a row any more: what is left is to take their bytes, and `purgeProject`. */
export const readPurgeable = ({ db }: Pick<RelationalStore, 'db'>): Promise<readonly string[]> =>
  classified(async () => {
    const noted = db.selectFrom('pending_deletions').select('project_id').where('object', '=', projectObject)
    const rows = await db
      .selectFrom('projects')
      .select('id')
      .where('deleted_at', 'is not', null)
      .where('id', 'in', noted.where('is_deleted', '=', true))
      .where('id', 'not in', noted.where('is_deleted', '=', false))
      .orderBy('id')
      .execute()
    return rows.map(({ id }) => id)
  })
