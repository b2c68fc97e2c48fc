// Operations on a trace, for members of its project.
import * as traces from '@svc-server/api/web-traces/operations'
import { setTraceFlags } from '@svc-server/deletions/flags'
import { objectExists } from '@svc-server/query/objects'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { notThere, observationOf, searchReply, sliceReply, treeReply } from './reads.ts'

const queue = { queue: 'columnStore', data: ['spans'] } as const

export const getTree = handle(
  traces.getTree,
  ({ project: { projectId }, params: { traceId }, query: { open }, signal }, deps) => treeReply({ projectId, traceId, open, signal }, deps),
  queue,
)

export const search = handle(
  traces.search,
  ({ project: { projectId }, params: { traceId }, query: { text }, signal }, deps) =>
    searchReply({ projectId, traceId, text, signal }, deps),
  queue,
)

export const getObservation = handle(
  traces.getObservation,
  async ({ project: { projectId }, params: { traceId, observationId }, signal }, deps) =>
    reply(200, await observationOf({ projectId, traceId, observationId, signal }, deps)),
  queue,
)

export const getText = handle(
  traces.getText,
  ({ project: { projectId }, params: { traceId, observationId, field }, query: { offset, limit }, signal }, deps) =>
    sliceReply({ projectId, traceId, observationId, field, offset, limit, signal }, deps),
  queue,
)

export const update = handle(traces.update, async ({ project, params: { traceId }, body, signal }, deps) => {
  const { projectId } = project
  const inOldTables = deps.writeMode !== 'events_only'
  if (!(await objectExists(deps.columnStore, { projectId, objectType: 'TRACE', objectId: traceId, inOldTables, signal }))) throw notThere()
  const { bookmarked, public: isPublic } = body
  const flags = { ...(bookmarked !== undefined && { bookmarked }), ...(isPublic !== undefined && { public: isPublic }) }
  if (!(await setTraceFlags(deps, { projectId, traceId, actor: authorOf(project, deps).actor, flags }))) throw notThere()
  return reply(202)
})
