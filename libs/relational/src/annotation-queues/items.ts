// Items of an annotation queue: the objects to annotate and the users who work on them (contract §18.6).
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export type QueueItemStatus = 'PENDING' | 'COMPLETED'

export interface NewQueueItem {
  readonly objectId: string
  readonly objectType: 'TRACE' | 'OBSERVATION' | 'SESSION'
  readonly status?: QueueItemStatus
}

export interface QueueItem extends Required<NewQueueItem> {
  readonly id: string
  readonly queueId: string
  readonly completedAt: Date | null
  readonly lockedAt: Date | null
  readonly lockedByUserId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'annotation_queue_items'>): QueueItem => ({
  id: row.id,
  queueId: row.queue_id,
  objectId: row.object_id,
  objectType: row.object_type as NewQueueItem['objectType'],
  status: row.status as QueueItemStatus,
  completedAt: row.completed_at,
  lockedAt: row.locked_at,
  lockedByUserId: row.locked_by_user_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Resource type of audit entries, as in v3. */
const resourceType = 'annotationQueueItem'

const completedAt = (status: QueueItemStatus, at: Date) => (status === 'COMPLETED' ? at : null)

const itemIn = async (rows: Pick<ProjectRows, 'find'>, queueId: string, itemId: string) => {
  const row = await rows.find('annotation_queue_items', itemId)
  return row?.queue_id === queueId ? row : undefined
}

/** Returns undefined if the queue does not exist. */
export const createQueueItem = (
  project: InProject,
  by: Author,
  queueId: string,
  { objectId, objectType, status = 'PENDING' }: NewQueueItem,
): Promise<QueueItem | undefined> =>
  project.write<QueueItem | undefined>(by, async rows => {
    if ((await rows.find('annotation_queues', queueId)) === undefined) return { value: undefined, audit: [] }
    const row = await rows
      .insert('annotation_queue_items', {
        ...{ id: randomUUID(), queue_id: queueId, object_id: objectId, object_type: objectType, status },
        ...{ completed_at: completedAt(status, by.at), ...timesAt(by.at) },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const value = viewOf(row)
    return { value, audit: [{ resourceType, resourceId: value.id, action: 'create', after: value }] }
  })

export async function getQueueItem(project: InProject, queueId: string, itemId: string): Promise<QueueItem | undefined> {
  const row = await itemIn(project, queueId, itemId)
  return row && viewOf(row)
}

/** Lists the items of a queue, newest first. The queue must exist. */
export async function listQueueItems(
  project: InProject,
  queueId: string,
  { status }: { readonly status?: QueueItemStatus },
  page: Page,
): Promise<PageOf<QueueItem>> {
  if (!canBeId(queueId)) return { rows: [], totalItems: 0 }
  let query = project.select('annotation_queue_items').selectAll().where('queue_id', '=', queueId)
  if (status !== undefined) query = query.where('status', '=', status)
  return mapPage(await pageOf(query.orderBy('created_at', 'desc').orderBy('id'), page), viewOf)
}

/** Without a status, the item stays unchanged. */
export const updateQueueItem = (
  project: InProject,
  by: Author,
  { queueId, itemId }: { readonly queueId: string; readonly itemId: string },
  status?: QueueItemStatus,
): Promise<QueueItem | undefined> =>
  project.write<QueueItem | undefined>(by, async rows => {
    const found = await itemIn(rows, queueId, itemId)
    const before = found && viewOf(found)
    if (before === undefined || status === undefined) return { value: before, audit: [] }
    const change = { status, completed_at: completedAt(status, by.at), updated_at: by.at }
    const row = await rows.update('annotation_queue_items').set(change).where('id', '=', itemId).returningAll().executeTakeFirst()
    const value = row && viewOf(row)
    return { value, audit: value === undefined ? [] : [{ resourceType, resourceId: itemId, action: 'update', before, after: value }] }
  })

export const deleteQueueItem = (project: InProject, by: Author, queueId: string, itemId: string): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    const before = await itemIn(rows, queueId, itemId)
    if (before === undefined) return { value: false, audit: [] }
    const row = await rows.delete('annotation_queue_items').where('id', '=', itemId).returning('id').executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType, resourceId: itemId, action: 'delete', before: viewOf(before) }] }
  })

const lockMs = 5 * 60_000

/**
 * Reserves the queue's oldest pending item, except items that another user reserved less than five minutes ago. Returns undefined if there
 * is no such item.
 */
export async function lockNextItem(project: InProject, queueId: string, userId: string, at: Date): Promise<QueueItem | undefined> {
  if (!canBeId(queueId)) return undefined
  return project.unaudited(async rows => {
    const next = rows
      .select('annotation_queue_items')
      .select('id')
      .where('queue_id', '=', queueId)
      .where('status', '=', 'PENDING')
      .where(({ eb, or }) =>
        or([eb('locked_at', 'is', null), eb('locked_by_user_id', '=', userId), eb('locked_at', '<', new Date(at.getTime() - lockMs))]),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
    const locked = { locked_at: at, locked_by_user_id: userId, updated_at: at }
    const found = await next.executeTakeFirst()
    if (found === undefined) return undefined
    const row = await rows.update('annotation_queue_items').set(locked).where('id', '=', found.id).returningAll().executeTakeFirst()
    return row && viewOf(row)
  })
}
