// GET /api/public/v2/metrics returns aggregates of observations and scores (contract §17.4).
import * as operations from '@svc-server/api/metrics/operations'
import { queryMetrics } from '@svc-server/query/metrics'
import { handle, reply } from '../../request/handler.ts'

export const metrics = handle(
  operations.metrics,
  async ({ project: { projectId }, query: { query }, signal }, deps) =>
    reply(200, await queryMetrics(deps.columnStore, { projectId, query, signal })),
  { queue: 'columnStore' },
)
