// Comments on traces, observations, sessions and versions of prompts (contract §18.3).
import * as comments from '@svc-server/api/comments/operations'
import { AppError } from '@svc-server/errors'
import { objectExists } from '@svc-server/query/objects'
import { type Comment, createComment, getComment, listComments, type NewComment } from '@svc-server/relational/comments'
import { hasPromptVersion } from '@svc-server/relational/prompts'
import { type InProject, inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { userIdOf } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { isMember } from '../../request/members.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

const viewOf = ({ createdAt, updatedAt, ...comment }: Comment) => ({
  ...comment,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

async function exists(project: InProject, { objectType, objectId }: NewComment, signal: AbortSignal, deps: Dependencies): Promise<boolean> {
  const { projectId } = project
  if (objectType === 'PROMPT') return hasPromptVersion(project, objectId)
  return objectExists(deps.columnStore, { projectId, objectType, objectId, inOldTables: deps.writeMode !== 'events_only', signal })
}

export const create = handle(comments.create, async ({ project: caller, body, signal }, deps) => {
  const project = inProject(deps.relational, caller.projectId)
  const { objectType, objectId, content } = body
  const own = userIdOf(caller)
  const authorUserId = own ?? body.authorUserId ?? null
  if (own === null && authorUserId !== null && !(await isMember(deps, caller.projectId, authorUserId)))
    throw new InvalidBody(refused('The user is not a member of the organization.', ['authorUserId']))
  const comment: NewComment = { objectType, objectId, content, authorUserId }
  if (!(await exists(project, comment, signal, deps)))
    throw new AppError('not_found', `There is no ${objectType.toLowerCase()} with this id in the project.`)
  const { id } = await createComment(project, authorOf(caller, deps), comment)
  return reply(200, { id })
})

export const get = handle(comments.get, async ({ project: { projectId }, query }, { relational }) => {
  const { objectType, objectId, authorUserId, ...page } = query
  if (objectId !== undefined && objectType === undefined)
    throw new InvalidBody(refused('A request with objectId must also have objectType.', ['objectId']))
  const filter = {
    ...(objectType !== undefined && { objectType }),
    ...(objectId !== undefined && { objectId }),
    ...(authorUserId !== undefined && { authorUserId }),
  }
  return reply(200, pageBody(page, await listComments(inProject(relational, projectId), filter, page), viewOf))
})

export const getById = handle(comments.getById, async ({ project: { projectId }, params: { commentId } }, { relational }) => {
  const comment = await getComment(inProject(relational, projectId), commentId)
  if (comment === undefined) throw new AppError('not_found', 'Comment not found within authorized project')
  return reply(200, viewOf(comment))
})
