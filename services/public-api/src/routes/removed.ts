// What `events_only` has no more (contract §§4.4, 4.5): 404 with the name of what replaces it, before anybody
// is authenticated.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'

type Method = Endpoint['method']

const spans = 'OpenTelemetry spans at POST /api/public/otel/v1/traces'
const observations = 'the Observations API v2, GET /api/public/v2/observations'
const scores = 'the Scores API v3, GET /api/public/v3/scores'
const metrics = 'the Metrics API v2, GET /api/public/v2/metrics'
const experiments = 'the experiments API, GET /api/public/experiments and GET /api/public/experiment-items'

const table: readonly (readonly [replacement: string, methods: readonly Method[], paths: readonly string[]])[] = [
  [spans, ['POST'], ['/traces', '/events']],
  [spans, ['POST', 'PATCH'], ['/spans', '/generations']],
  [
    observations,
    ['GET'],
    ['/traces', '/traces/:traceId', '/observations', '/observations/:observationId', '/sessions', '/sessions/:sessionId'],
  ],
  [scores, ['GET'], ['/scores', '/scores/:scoreId', '/v2/scores', '/v2/scores/:scoreId']],
  [metrics, ['GET'], ['/metrics', '/metrics/daily']],
  [experiments, ['GET'], ['/dataset-run-items', '/datasets/:name/runs', '/datasets/:name/runs/:runName']],
  ['GET /api/public/experiment-items, then DELETE /api/public/traces of their traces', ['DELETE'], ['/datasets/:name/runs/:runName']],
]

/** None in the other modes: there they are routes, or not served yet. */
export function removedRoutes(writeMode: WriteMode): readonly Endpoint[] {
  if (writeMode !== 'events_only') return []
  return table.flatMap(([replacement, methods, paths]) =>
    paths.flatMap(path =>
      methods.map(method => ({
        method,
        path: `/api/public${path}`,
        kind: 'open' as const,
        answer: () =>
          json(404, {
            message: `${method} /api/public${path} is not available with SVC_MIGRATION_V4_WRITE_MODE=events_only. Use ${replacement}.`,
          }),
      })),
    ),
  )
}
