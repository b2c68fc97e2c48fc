// POST /api/ui/projects/{projectId}/rows/more returns metadata and scores of given rows, and sums over the requested traces.
import { more } from '@svc-server/api/web-rows/operations'
import { readMore } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const moreOfRows = handle(
  more,
  async ({ project: { projectId }, body, signal }, deps) => reply(200, await readMore(deps.columnStore, { ...body, projectId, signal })),
  { queue: 'columnStore' },
)
