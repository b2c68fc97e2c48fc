// GET /api/ui/projects/{projectId}/rows/histogram returns the number of rows over time.
import { histogram } from '@svc-server/api/web-rows/operations'
import { readHistogram } from '@svc-server/query/observations'
import { handle, reply } from '../../request/handler.ts'

export const rowHistogram = handle(
  histogram,
  async ({ project: { projectId }, query, signal }, deps) =>
    reply(200, { buckets: await readHistogram(deps.columnStore, { projectId, query, signal }, deps.pricesOf) }),
  { queue: 'columnStore' },
)
