// Annotation queues of a project and their assigned users (contract §18.6).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { readScoreConfigs } from '../score-configs/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import { isConflict } from '../tenancy/conflicts.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface NewQueue {
  /** Must not contain NUL or an unpaired surrogate, because PostgreSQL rejects them. */
  readonly name: string
  readonly description?: string | null
  readonly scoreConfigIds: readonly string[]
}

export interface Queue extends Required<NewQueue> {
  readonly id: string
  readonly projectId: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Selects queues by creation time. `from` is inclusive, and `to` is exclusive. */
export interface QueueFilter {
  readonly from?: Date
  readonly to?: Date
}

const viewOf = (row: RowOf<'annotation_queues'>): Queue => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  description: row.description,
  scoreConfigIds: row.score_config_ids,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

async function requireConfigs(project: InProject, ids: readonly string[]): Promise<void> {
  const usable = (await readScoreConfigs(project, ids)).filter(({ isArchived }) => !isArchived)
  const wrong = ids.find(id => usable.every(config => config.id !== id))
  if (ids.length === 0) throw new AppError('bad_request', 'A queue needs at least one score configuration.')
  if (wrong !== undefined) throw new AppError('bad_request', `The score configuration ${wrong.slice(0, 80)} is unknown or archived.`)
}

/**
 * Throws `bad_request` if no score configuration is given, if one is unknown or archived, or if a queue with this name exists. Throws
 * `conflict` if a concurrent request creates a queue with this name.
 */
export async function createQueue(project: InProject, by: Author, { name, description = null, scoreConfigIds }: NewQueue): Promise<Queue> {
  await requireConfigs(project, scoreConfigIds)
  try {
    return await project.write(by, async rows => {
      const taken = await rows.select('annotation_queues').select('id').where('name', '=', name).executeTakeFirst()
      if (taken !== undefined) throw new AppError('bad_request', 'A queue with this name already exists.')
      const row = await rows
        .insert('annotation_queues', { id: randomUUID(), name, description, score_config_ids: [...scoreConfigIds], ...timesAt(by.at) })
        .returningAll()
        .executeTakeFirstOrThrow()
      const value = viewOf(row)
      return { value, audit: [{ resourceType: 'annotationQueue', resourceId: value.id, action: 'create', after: value }] }
    })
  } catch (error) {
    if (!isConflict(error, 'annotation_queues_project_id_name_key')) throw error
    throw new AppError(
      'conflict',
      'A different request is creating a queue with this name.',
      { table: 'annotation_queues' },
      { cause: error },
    )
  }
}

export async function getQueue(project: InProject, id: string): Promise<Queue | undefined> {
  const row = await project.find('annotation_queues', id)
  return row && viewOf(row)
}

/** Newest first. */
export async function listQueues(project: InProject, { from, to }: QueueFilter, page: Page): Promise<PageOf<Queue>> {
  let query = project.select('annotation_queues').selectAll()
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (to !== undefined) query = query.where('created_at', '<', to)
  return mapPage(await pageOf(query.orderBy('created_at', 'desc').orderBy('id'), page), viewOf)
}

export async function deleteQueue(project: InProject, by: Author, id: string): Promise<boolean> {
  if (!canBeId(id)) return false
  return project.write<boolean>(by, async rows => {
    const row = await rows.delete('annotation_queues').where('id', '=', id).returningAll().executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType: 'annotationQueue', resourceId: id, action: 'delete', before: viewOf(row) }] }
  })
}

/** Returns false if the queue does not exist. */
export async function assignUser(project: InProject, by: Author, queueId: string, userId: string): Promise<boolean> {
  return project.write<boolean>(by, async rows => {
    if ((await rows.find('annotation_queues', queueId)) === undefined) return { value: false, audit: [] }
    const row = await rows
      .insert('annotation_queue_assignments', { id: randomUUID(), queue_id: queueId, user_id: userId, ...timesAt(by.at) })
      .onConflict(conflict => conflict.columns(['project_id', 'queue_id', 'user_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    const after = { queueId, userId }
    return {
      value: true,
      audit: row === undefined ? [] : [{ resourceType: 'annotationQueueAssignment', resourceId: row.id, action: 'create', after }],
    }
  })
}

/** Also succeeds if the user was not assigned. */
export async function unassignUser(project: InProject, by: Author, queueId: string, userId: string): Promise<boolean> {
  return project.write<boolean>(by, async rows => {
    if ((await rows.find('annotation_queues', queueId)) === undefined) return { value: false, audit: [] }
    if (!canBeId(userId)) return { value: true, audit: [] }
    const query = rows.delete('annotation_queue_assignments').where('queue_id', '=', queueId).where('user_id', '=', userId)
    const row = await query.returning('id').executeTakeFirst()
    const before = { queueId, userId }
    return {
      value: true,
      audit: row === undefined ? [] : [{ resourceType: 'annotationQueueAssignment', resourceId: row.id, action: 'delete', before }],
    }
  })
}

export async function readAssignedUsers(project: InProject, queueId: string): Promise<readonly string[]> {
  if (!canBeId(queueId)) return []
  const query = project.select('annotation_queue_assignments').select('user_id').where('queue_id', '=', queueId)
  return (await query.orderBy('user_id').execute()).map(row => row.user_id)
}
