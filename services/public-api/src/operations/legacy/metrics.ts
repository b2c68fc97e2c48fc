// Reads metrics of the old tables (contract §20.7).
import * as legacy from '@svc-server/api/legacy/metrics'
import { dailyMetrics, legacyMetrics as query } from '@svc-server/query/legacy'
import { type Handler, handle, reply } from '../../request/handler.ts'

const queue = { queue: 'columnStore' } as const

export const legacyMetrics: readonly Handler[] = [
  handle(
    legacy.metricsV1,
    async ({ project: { projectId }, query: { query: text }, signal }, { columnStore }) =>
      reply(200, await query(columnStore, { projectId, query: text, signal })),
    queue,
  ),
  handle(
    legacy.dailyMetrics,
    async ({ project: { projectId }, query: asked, signal }, { columnStore }) =>
      reply(200, await dailyMetrics(columnStore, { projectId, query: asked, signal })),
    queue,
  ),
]
