// GET /api/public/v2/observations returns rows of the events tables.
import * as observations from '@svc-server/api/observations/operations'
import { listObservations, streamObservations } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const getMany = handle(
  observations.getMany,
  async ({ project: { projectId }, query, signal }, deps) =>
    reply(200, await listObservations(deps.columnStore, { projectId, query, signal }, deps.pricesOf)),
  {
    queue: 'columnStore',
    data: ['spans'],
    stream: ({ project: { projectId }, query }, tools, deps) =>
      streamObservations(deps.columnStore, { projectId, query, ...tools }, deps.pricesOf),
  },
)
