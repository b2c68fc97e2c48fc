// GET /api/ui/projects/{projectId}/rows returns the lines of the web app's table.
import { list } from '@svc-server/api/web-rows/operations'
import { listRows as readRows } from '@svc-server/query/observations'
import { completeness } from '../../request/completeness.ts'
import { handle, reply } from '../../request/handler.ts'

export const listRows = handle(
  list,
  async ({ project: { projectId }, query, signal }, deps) => {
    // `completeness` must be called before the rows are read.
    const until = await completeness(deps, 'spans')
    return reply(200, await readRows(deps.columnStore, { projectId, query, signal }, deps.pricesOf), until)
  },
  { queue: 'columnStore' },
)
