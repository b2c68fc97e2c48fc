// Health as clients of the public API ask for it.
import { createPublicHealth, type PublicHealthOptions } from '@svc-server/service/http'
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { HasRecentEvents } from '../recent-events.ts'

export interface HealthRoutesOptions extends PublicHealthOptions {
  readonly hasRecentEvents: HasRecentEvents
}

export function healthRoutes({ hasRecentEvents, ...options }: HealthRoutesOptions): readonly Endpoint[] {
  const { health, ready } = createPublicHealth(options, json)
  const failed = (status: string) => json(503, { status, version: options.version })

  async function answer({ query }: { readonly query: URLSearchParams }) {
    const answered = await health(query.get('failIfDatabaseUnavailable'))
    if (answered.status !== 200 || query.get('failIfNoRecentEvents') !== 'true') return answered
    return hasRecentEvents().then(
      hasRecent => (hasRecent ? answered : failed('No events within the last 3 minutes')),
      () => failed("Couldn't fetch recent events"),
    )
  }
  return [
    { method: 'GET', path: '/api/public/health', kind: 'open', answer },
    { method: 'GET', path: '/api/public/ready', kind: 'open', answer: ready },
  ]
}
