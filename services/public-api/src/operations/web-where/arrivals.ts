// GET /api/ui/projects/{projectId}/arrivals returns what the gateways recently accepted and refused.
import { arrivals } from '@svc-server/api/web-where/operations'
import { listArrivals } from '@svc-server/relational/arrivals'
import { inProject } from '@svc-server/relational/tenancy'
import { handle, reply } from '../../request/handler.ts'

const mostArrivals = 50

export const recentArrivals = handle(arrivals, async ({ project: { projectId } }, { relational }) => {
  const found = await listArrivals(inProject(relational, projectId), mostArrivals)
  return reply(200, {
    arrivals: found.map(({ receivedAtMs, loggedAtMs, ...arrival }) => ({
      ...arrival,
      receivedAt: new Date(receivedAtMs).toISOString(),
      loggedAt: loggedAtMs === null ? null : new Date(loggedAtMs).toISOString(),
    })),
  })
})
