// GET /api/ui/projects/{projectId}/rows/top returns rows in the order of a numeric column.
import { top } from '@svc-server/api/web-rows/operations'
import { topRows as readTop } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const topRows = handle(
  top,
  async ({ project: { projectId }, query: { by, direction = 'desc', limit = 1_000, ...filtered }, signal }, deps) => {
    const query = { ...filtered, by, limit, isAscending: direction === 'asc' }
    return reply(200, { data: await readTop(deps.columnStore, { projectId, query, signal }, deps.pricesOf) })
  },
  { queue: 'columnStore', data: ['spans'] },
)
