// Reads of a public trace, for any caller that has its link. The response for a private trace is the same as for a missing trace.
import * as traces from '@svc-server/api/web-traces/operations'
import { isPublicTrace } from '@svc-server/query/trace'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { notThere, observationOf, searchReply, sliceReply, treeReply } from './reads.ts'

interface Asked {
  readonly params: { readonly projectId: string; readonly traceId: string }
  readonly signal: AbortSignal
}

const queue = { queue: 'columnStore', data: ['spans'] } as const

async function requirePublic({ params, signal }: Asked, { columnStore }: Dependencies): Promise<void> {
  if (!(await isPublicTrace(columnStore, { ...params, signal }))) throw notThere()
}

export const getPublicTree = handle(
  traces.getPublicTree,
  async ({ params, query: { open }, signal }, deps) => {
    await requirePublic({ params, signal }, deps)
    return treeReply({ ...params, open, signal }, deps)
  },
  queue,
)

export const searchPublic = handle(
  traces.searchPublic,
  async ({ params, query, signal }, deps) => {
    await requirePublic({ params, signal }, deps)
    return searchReply({ ...params, ...query, signal }, deps)
  },
  queue,
)

export const getPublicObservation = handle(
  traces.getPublicObservation,
  async ({ params, signal }, deps) => {
    await requirePublic({ params, signal }, deps)
    const observation = await observationOf({ ...params, signal }, deps)
    // Only members may see these fields.
    return reply(200, { ...observation, apiKey: null, blobStorageFilePath: null })
  },
  queue,
)

export const getPublicText = handle(
  traces.getPublicText,
  async ({ params, query, signal }, deps) => {
    await requirePublic({ params, signal }, deps)
    return sliceReply({ ...params, offset: query.offset, limit: query.limit, signal }, deps)
  },
  queue,
)
