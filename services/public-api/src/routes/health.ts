// Health as clients of the public API ask for it.
import { createPublicHealth, type PublicHealthOptions } from '@svc-server/service/http'
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'

export function healthRoutes(options: PublicHealthOptions): readonly Endpoint[] {
  const { health, ready } = createPublicHealth(options, json)
  return [
    {
      method: 'GET',
      path: '/api/public/health',
      kind: 'open',
      answer: ({ query }) => health(query.get('failIfDatabaseUnavailable')),
    },
    { method: 'GET', path: '/api/public/ready', kind: 'open', answer: ready },
  ]
}
