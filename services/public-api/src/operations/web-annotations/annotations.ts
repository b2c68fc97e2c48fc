// The web app attaches the scores and comments of a trace to the trace's root observation, and shows them there. Clients with API keys get
// these scores as scores of the trace itself.
import * as annotations from '@svc-server/api/web-annotations/operations'
import { AppError } from '@svc-server/errors'
import { objectExists } from '@svc-server/query/objects'
import { rootOfTrace } from '@svc-server/query/trace'
import { createComment as addComment, type Comment, listComments } from '@svc-server/relational/comments'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { decodeCursor, encodeCursor, hashOfFilters } from '../../scores/cursor.ts'

const queue = { queue: 'columnStore' } as const

interface OfTrace {
  readonly projectId: string
  readonly traceId: string
  readonly signal: AbortSignal
}

const isRoot = async (of: OfTrace, observationId: string, { columnStore }: Dependencies): Promise<boolean> =>
  (await rootOfTrace(columnStore, of)) === observationId

const viewOf = ({ createdAt, updatedAt, ...comment }: Comment) => ({
  ...comment,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const getScores = handle(
  annotations.getScores,
  async ({ project: { projectId }, params: { traceId, observationId }, query: { limit = 50, cursor }, signal }, deps) => {
    const hash = hashOfFilters({ traceId, observationId })
    const after = cursor === undefined ? undefined : decodeCursor(cursor, hash)
    const withTrace = await isRoot({ projectId, traceId, signal }, observationId, deps)
    const groups = ['core', 'details', 'annotation', 'subject'] as const
    const query = { fields: groups, traceId: [traceId], ...(withTrace ? { onRoot: observationId } : { observationId: [observationId] }) }
    const { rows, next } = await deps.scores.page(projectId, query, limit, after, signal)
    const meta = { limit, ...(next && { cursor: encodeCursor(next, hash) }) }
    return reply(200, new JsonText(await deps.payloads.render({ kind: 'page', rows, projectId, groups: [...groups], meta }, projectId)))
  },
  queue,
)

export const getComments = handle(
  annotations.getComments,
  async ({ project: { projectId }, params: { traceId, observationId }, query: page, signal }, deps) => {
    const withTrace = await isRoot({ projectId, traceId, signal }, observationId, deps)
    const own = { objectType: 'OBSERVATION', objectId: observationId } as const
    const objects = withTrace ? [own, { objectType: 'TRACE', objectId: traceId } as const] : [own]
    return reply(200, pageBody(page, await listComments(inProject(deps.relational, projectId), { objects }, page), viewOf))
  },
  queue,
)

interface Commented {
  readonly objectType: 'TRACE' | 'OBSERVATION'
  readonly objectId: string
}

/**
 * Returns the object to which a new comment belongs. A comment on a trace belongs to the trace's root observation. If the root is not
 * stored yet, the comment belongs to the trace itself. The web app later shows such a comment on the root.
 */
async function objectOf({ projectId, traceId, signal }: OfTrace, observationId: string | undefined, { columnStore }: Dependencies) {
  const root = observationId === undefined ? await rootOfTrace(columnStore, { projectId, traceId, signal }) : undefined
  if (root !== undefined) return { objectType: 'OBSERVATION', objectId: root } satisfies Commented
  const object: Commented =
    observationId === undefined ? { objectType: 'TRACE', objectId: traceId } : { objectType: 'OBSERVATION', objectId: observationId }
  if (await objectExists(columnStore, { projectId, ...object, inOldTables: false, signal })) return object
  throw new AppError('not_found', `There is no ${object.objectType.toLowerCase()} with this id in the project.`)
}

export const createComment = handle(annotations.createComment, async ({ project: caller, params: { traceId }, body, signal }, deps) => {
  const { projectId, actor } = caller
  const object = await objectOf({ projectId, traceId, signal }, body.observationId, deps)
  const authorUserId = typeof actor === 'object' && 'userId' in actor ? actor.userId : null
  const comment = { ...object, content: body.content, authorUserId }
  return reply(200, viewOf(await addComment(inProject(deps.relational, projectId), authorOf(caller, deps), comment)))
})
