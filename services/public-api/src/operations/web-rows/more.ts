// POST /api/ui/projects/{projectId}/rows/more returns more data about given rows: sums over the row's trace, metadata, and scores.
import { more } from '@svc-server/api/web-rows/operations'
import { readMore } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const moreOfRows = handle(
  more,
  async ({ project: { projectId }, body, signal }, deps) => reply(200, await readMore(deps.columnStore, { ...body, projectId, signal })),
  { queue: 'columnStore' },
)
