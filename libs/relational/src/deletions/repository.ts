// Requested deletions. The row of a deletion is written before the deletion command is appended to the log. This row is kept as long as its
// project exists, because it also denies data that arrives late.
import { createHash } from 'node:crypto'
import { unlinkTraces } from '../media/links.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, Instance, ProjectRows } from '../tenancy/handles.ts'
import { timesAt } from '../tenancy/times.ts'
import { projectObject, type StoredObject, storedTraceId, traceIdOf, traceObjects } from './object-id.ts'

/** A null `traceId` means the whole project. */
export interface Deletion {
  readonly projectId: string
  readonly traceId: string | null
}

export interface NotedDeletion extends Deletion {
  readonly id: string
  readonly isDone: boolean
  readonly firstNotedAt: Date
  /** If `isDone`, the time of the completion. Otherwise, the time of the last request, or of a later call of `renewPending`. */
  readonly updatedAt: Date
}

const batchRows = 1_000

const storedOf = ({ traceId }: Deletion): StoredObject =>
  traceId === null ? { object: projectObject, objectId: '' } : storedTraceId(traceId)

/**
 * Returns the id of a request's row, so that a repeated request uses the same row. Rows of v3 have ids of a different form, and remain
 * valid.
 */
function idOf({ projectId }: Deletion, { object, objectId }: StoredObject): string {
  return createHash('sha256')
    .update(JSON.stringify([projectId, object, objectId]))
    .digest('hex')
    .slice(0, 32)
}

/**
 * Stores one deletion request per trace. The trace ids must be well-formed. If `traceIds` is null, stores a request to delete the whole
 * project. A repeated request makes a completed deletion pending again.
 */
export async function noteDeletions(rows: ProjectRows, projectId: string, traceIds: readonly string[] | null, at: Date): Promise<void> {
  const noted = new Map(
    (traceIds ?? [null]).map(traceId => {
      const deletion = { projectId, traceId }
      const { object, objectId } = storedOf(deletion)
      const id = idOf(deletion, { object, objectId })
      // For the deletion of a project, v3 stores the id of the project in `object_id`.
      return [id, { id, object, object_id: traceId === null ? projectId : objectId, is_deleted: false, ...timesAt(at) }]
    }),
  )
  if (noted.size === 0) return
  await rows
    // A fixed order prevents deadlocks.
    .insert(
      'pending_deletions',
      [...noted.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(update => ({ is_deleted: false, updated_at: update.ref('excluded.updated_at') })),
    )
    .execute()
}

/**
 * Stores deletions of traces, writes audit entries, and unlinks the media of the traces. Returns false if the project does not exist.
 * Throws `relational_unavailable`.
 */
export const noteTraceDeletions = (project: InProject, by: Author, traceIds: readonly string[]): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    if ((await rows.select('projects').select('id').forShare().executeTakeFirst()) === undefined) return { value: false, audit: [] }
    await noteDeletions(rows, project.projectId, traceIds, by.at)
    await unlinkTraces(rows, project.projectId, traceIds, by.at)
    const entry = { resourceType: 'trace', action: 'delete' } as const
    return { value: true, audit: traceIds.map(traceId => ({ ...entry, resourceId: storedTraceId(traceId).objectId })) }
  })

/**
 * Marks deletions as completed, except deletions that were requested again after `acceptedAtMs`. The command of a deletion contains
 * `acceptedAtMs`: the time of the request, or of a later call of `renewPending`. Throws `relational_unavailable`.
 */
export async function markDeleted(
  all: Instance,
  deletions: readonly (Deletion & { readonly acceptedAtMs: number })[],
  now: Date,
): Promise<void> {
  const groups = Map.groupBy(deletions, deletion => JSON.stringify([deletion.projectId, storedOf(deletion).object, deletion.acceptedAtMs]))
  for (const group of groups.values()) {
    const { projectId, acceptedAtMs } = group[0]!
    const objectIds = group.map(each => (each.traceId === null ? projectId : storedOf(each).objectId))
    for (let at = 0; at < objectIds.length; at += batchRows) {
      await all.unaudited(rows =>
        rows
          .update('pending_deletions')
          .set({ is_deleted: true, updated_at: now })
          .where('project_id', '=', projectId)
          .where('object', '=', storedOf(group[0]!).object)
          .where('is_deleted', '=', false)
          .where('object_id', 'in', objectIds.slice(at, at + batchRows))
          .where('updated_at', '<=', new Date(acceptedAtMs))
          .execute(),
      )
    }
  }
}

/**
 * Returns the time at which the deletion of the trace or of the whole project was first requested. If both were requested, returns the
 * earlier time. If none was requested, returns undefined. Throws `relational_unavailable`.
 */
export async function deletionOfTrace(project: InProject, traceId: string): Promise<Date | undefined> {
  const { object, objectId } = storedTraceId(traceId)
  const rows = await project
    .select('pending_deletions')
    .select('created_at')
    .where(({ eb, and, or }) => or([eb('object', '=', projectObject), and([eb('object', '=', object), eb('object_id', '=', objectId)])]))
    .orderBy('created_at')
    .execute()
  return rows[0]?.created_at
}

export interface DeletionsWanted {
  readonly pendingOnly?: boolean
  readonly projectId?: string
}

/**
 * Yields the requested deletions in batches, in no particular order. Unless `pendingOnly` is set, the completed deletions of
 * projects follow in a last batch of their own. Throws `relational_unavailable`.
 */
export async function* readDeletions(all: Instance, wanted: DeletionsWanted = {}): AsyncGenerator<readonly NotedDeletion[]> {
  for (let after = ''; ; ) {
    const deletions = await readBatch(all, after, wanted)
    if (deletions.length > 0) yield deletions
    if (deletions.length < batchRows) break
    after = deletions.at(-1)!.id
  }
  if (wanted.pendingOnly) return
  const gone = await readDeletedProjects(all, wanted)
  if (gone.length > 0) yield gone
}

async function readBatch(all: Instance, after: string, { pendingOnly, projectId }: DeletionsWanted): Promise<readonly NotedDeletion[]> {
  let query = all
    .select('pending_deletions')
    .selectAll()
    .where('id', '>', after)
    .where('object', 'in', [projectObject, ...traceObjects])
  if (pendingOnly) query = query.where('is_deleted', '=', false)
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  const rows = await query.orderBy('id').limit(batchRows).execute()
  return rows.map(row => ({
    id: row.id,
    projectId: row.project_id,
    traceId: traceIdOf({ object: row.object, objectId: row.object_id }) ?? null,
    isDone: row.is_deleted,
    firstNotedAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

async function readDeletedProjects(all: Instance, { projectId }: DeletionsWanted): Promise<readonly NotedDeletion[]> {
  let query = all.select('deleted_projects').selectAll()
  if (projectId !== undefined) query = query.where('id', '=', projectId)
  const rows = await query.orderBy('id').execute()
  return rows.map(({ id, requested_at: firstNotedAt, deleted_at: updatedAt }) => ({
    ...{ id, projectId: id, traceId: null, isDone: true, firstNotedAt, updatedAt },
  }))
}

/**
 * Sets the request time of at most one batch of pending deletions to `now`. The caller appends the commands of these deletions to the log
 * again. Throws `relational_unavailable`.
 */
export const renewPending = (all: Instance, { before, now }: { readonly before: Date; readonly now: Date }): Promise<readonly Deletion[]> =>
  all.unaudited(async rows => {
    const stale = rows
      .select('pending_deletions')
      .select('id')
      .where('is_deleted', '=', false)
      .where('object', 'in', [projectObject, ...traceObjects])
      .where('updated_at', '<', before)
      .limit(batchRows)
    const query = rows.update('pending_deletions').set({ updated_at: now }).where('id', 'in', stale)
    const renewed = await query.returning(['project_id', 'object', 'object_id']).execute()
    return renewed.map(row => ({ projectId: row.project_id, traceId: traceIdOf({ object: row.object, objectId: row.object_id }) ?? null }))
  })
