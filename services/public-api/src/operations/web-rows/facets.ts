// GET /api/ui/projects/{projectId}/rows/facets returns the values of fields, and how often each value occurs.
import { facets } from '@svc-server/api/web-rows/operations'
import { readFacets } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const rowFacets = handle(
  facets,
  async ({ project: { projectId }, query: { limit = 20, ...query }, signal }, deps) =>
    reply(200, await readFacets(deps.columnStore, { projectId, query: { ...query, limit }, signal }, deps.pricesOf)),
  { queue: 'columnStore' },
)
