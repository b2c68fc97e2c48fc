// Operations on annotation queues and their assignments (contract §18.6).
import * as queues from '@svc-server/api/annotation-queues/operations'
import { AppError } from '@svc-server/errors'
import {
  assignUser,
  createQueue as create,
  getQueue as find,
  listQueues as list,
  type Queue,
  unassignUser,
} from '@svc-server/relational/annotation-queues'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { isMember } from '../../request/members.ts'
import { pageBody } from '../../request/pages.ts'

const viewOf = ({ id, name, description, scoreConfigIds, createdAt, updatedAt }: Queue) => ({
  ...{ id, name, description, scoreConfigIds },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const noQueue = () => new AppError('not_found', 'Annotation queue not found')

export const listQueues = handle(queues.listQueues, async ({ project: { projectId }, query }, { relational }) => {
  const { fromTimestamp, toTimestamp, ...page } = query
  const filter = {
    ...(fromTimestamp !== undefined && { from: new Date(fromTimestamp) }),
    ...(toTimestamp !== undefined && { to: new Date(toTimestamp) }),
  }
  return reply(200, pageBody(page, await list(inProject(relational, projectId), filter, page), viewOf))
})

export const getQueue = handle(queues.getQueue, async ({ project: { projectId }, params: { queueId } }, { relational }) => {
  const queue = await find(inProject(relational, projectId), queueId)
  if (queue === undefined) throw noQueue()
  return reply(200, viewOf(queue))
})

export const createQueue = handle(queues.createQueue, async ({ project, body }, deps) => {
  const { name, description = null, scoreConfigIds } = body
  const given = { name, description, scoreConfigIds: [...new Set(scoreConfigIds)] }
  return reply(200, viewOf(await create(inProject(deps.relational, project.projectId), authorOf(project, deps), given)))
})

export const createQueueAssignment = handle(
  queues.createQueueAssignment,
  async ({ project, params: { queueId }, body: { userId } }, deps) => {
    const { projectId } = project
    const own = inProject(deps.relational, projectId)
    if ((await find(own, queueId)) === undefined) throw noQueue()
    if (!(await isMember(deps, projectId, userId))) throw new AppError('not_found', 'User not found or not authorized for this project')
    if (!(await assignUser(own, authorOf(project, deps), queueId, userId))) throw noQueue()
    return reply(200, { userId, queueId, projectId })
  },
)

export const deleteQueueAssignment = handle(
  queues.deleteQueueAssignment,
  async ({ project, params: { queueId }, body: { userId } }, deps) => {
    if (!(await unassignUser(inProject(deps.relational, project.projectId), authorOf(project, deps), queueId, userId))) throw noQueue()
    return reply(200, { success: true })
  },
)
