import * as operations from '@svc-server/api/health/operations'
import { createPublicHealth } from '@svc-server/http/listeners'
import { handle, reply } from '../../request/handler.ts'

type HealthReply = { readonly status: 200 | 503; readonly body: { readonly status: string; readonly version: string } }

export const health = handle(operations.health, async ({ query }, deps): Promise<HealthReply> => {
  const answered = await createPublicHealth(deps, (status, body) => ({ status, body }) as HealthReply).health(
    query.failIfDatabaseUnavailable,
  )
  if (answered.status !== 200 || query.failIfNoRecentEvents !== 'true') return answered
  const failed = (status: string): HealthReply => ({ status: 503, body: { status, version: deps.version } })
  return deps.hasRecentEvents().then(
    hasRecent => (hasRecent ? answered : failed('No events within the last 3 minutes')),
    () => failed("Couldn't fetch recent events"),
  )
})

export const ready = handle(operations.ready, (_, deps) =>
  deps.serving() ? reply(200, { status: 'OK', version: deps.version }) : reply(500, { status: 'Not ready', version: deps.version }),
)
