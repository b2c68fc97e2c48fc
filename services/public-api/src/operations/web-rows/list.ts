// GET /api/ui/projects/{projectId}/rows returns the lines of the web app's table.
import { list } from '@svc-server/api/web-rows/operations'
import { listRows as readRows } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const listRows = handle(
  list,
  async ({ project: { projectId }, query, signal }, deps) =>
    reply(200, await readRows(deps.columnStore, { projectId, query, signal }, deps.pricesOf)),
  { queue: 'columnStore', data: ['spans'] },
)
