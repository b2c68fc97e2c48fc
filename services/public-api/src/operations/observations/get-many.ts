// GET /api/public/v2/observations returns rows of the events tables.
import * as observations from '@svc-server/api/observations/operations'
import { listObservations, streamObservations } from '@svc-server/query/observations'
import { completeness } from '../../request/completeness.ts'
import { handle, reply } from '../../request/handler.ts'

export const getMany = handle(
  observations.getMany,
  async ({ project: { projectId }, query, signal }, deps) => {
    // `completeness` must be called before the rows are read.
    const until = await completeness(deps, 'spans')
    return reply(200, await listObservations(deps.columnStore, { projectId, query, signal }, deps.pricesOf), until)
  },
  {
    queue: 'columnStore',
    async stream({ project: { projectId }, query }, tools, deps) {
      const headers = await completeness(deps, 'spans')
      return { headers, pieces: await streamObservations(deps.columnStore, { projectId, query, ...tools }, deps.pricesOf) }
    },
  },
)
