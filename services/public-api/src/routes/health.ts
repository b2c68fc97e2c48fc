// GET /api/public/health and /api/public/ready, as SDKs and load balancers of the public API ask for them.
// Probes have their own port.
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'

export interface HealthRoutesOptions {
  readonly version: string
  /** Rejects when the relational store does not answer. */
  readonly checkDatabase: () => Promise<unknown>
  readonly serving: () => boolean
}

export function healthRoutes({ version, checkDatabase, serving }: HealthRoutesOptions): readonly Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/api/public/health',
      kind: 'open',
      /** 503 only when `failIfDatabaseUnavailable=true` asks for the database and it does not answer. */
      async answer({ query }) {
        if (query.get('failIfDatabaseUnavailable') !== 'true') return json(200, { status: 'OK', version })
        return checkDatabase().then(
          () => json(200, { status: 'OK', version }),
          () => json(503, { status: 'Database not available', version }),
        )
      },
    },
    {
      method: 'GET',
      path: '/api/public/ready',
      kind: 'open',
      answer: () => (serving() ? json(200, { status: 'OK', version }) : json(500, { status: 'Not ready', version })),
    },
  ]
}
