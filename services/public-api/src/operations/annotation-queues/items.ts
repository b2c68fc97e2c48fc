// Operations on the items of annotation queues (contract §18.6).
import * as queues from '@svc-server/api/annotation-queues/operations'
import { AppError } from '@svc-server/errors'
import {
  createQueueItem as create,
  getQueueItem as find,
  listQueueItems as list,
  type QueueItem,
  deleteQueueItem as remove,
  updateQueueItem as update,
} from '@svc-server/relational/annotation-queue-items'
import { getQueue } from '@svc-server/relational/annotation-queues'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { noQueue } from './queues.ts'

const viewOf = ({ id, queueId, objectId, objectType, status, completedAt, createdAt, updatedAt }: QueueItem) => ({
  ...{ id, queueId, objectId, objectType, status },
  completedAt: completedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const noItem = () => new AppError('not_found', 'Annotation queue item not found')

export const listQueueItems = handle(
  queues.listQueueItems,
  async ({ project: { projectId }, params: { queueId }, query }, { relational }) => {
    const { status, ...page } = query
    const project = inProject(relational, projectId)
    if ((await getQueue(project, queueId)) === undefined) throw noQueue()
    return reply(200, pageBody(page, await list(project, queueId, status === undefined ? {} : { status }, page), viewOf))
  },
)

export const getQueueItem = handle(queues.getQueueItem, async ({ project: { projectId }, params: { queueId, itemId } }, { relational }) => {
  const item = await find(inProject(relational, projectId), queueId, itemId)
  if (item === undefined) throw noItem()
  return reply(200, viewOf(item))
})

export const createQueueItem = handle(queues.createQueueItem, async ({ project, params: { queueId }, body }, deps) => {
  const { objectId, objectType, status } = body
  const given = { objectId, objectType, status: status ?? 'PENDING' }
  const item = await create(inProject(deps.relational, project.projectId), authorOf(project, deps), queueId, given)
  if (item === undefined) throw noQueue()
  return reply(200, viewOf(item))
})

export const updateQueueItem = handle(queues.updateQueueItem, async ({ project, params, body }, deps) => {
  const item = await update(inProject(deps.relational, project.projectId), authorOf(project, deps), params, body.status ?? undefined)
  if (item === undefined) throw noItem()
  return reply(200, viewOf(item))
})

export const deleteQueueItem = handle(queues.deleteQueueItem, async ({ project, params: { queueId, itemId } }, deps) => {
  if (!(await remove(inProject(deps.relational, project.projectId), authorOf(project, deps), queueId, itemId))) throw noItem()
  return reply(200, { success: true, message: 'Annotation queue item deleted successfully' })
})
