// What `events_only` has no more (contract §§4.4, 4.5): 404 with the name of what replaces it, and whether that is served, before anybody
// is authenticated.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'

type Method = Endpoint['method']

const notServedYet = (replacement: string) =>
  `It is replaced by ${replacement}, which this release does not serve yet; until then the rows are read by SQL`

const spans = 'Use OpenTelemetry spans at POST /api/public/otel/v1/traces'
const observations = notServedYet('the Observations API v2, GET /api/public/v2/observations')
const scores = 'Use the Scores API v3, GET /api/public/v3/scores'
const metrics = notServedYet('the Metrics API v2, GET /api/public/v2/metrics')
const experiments = notServedYet('the experiments API, GET /api/public/experiments and GET /api/public/experiment-items')
const deletedRuns =
  'Use DELETE /api/public/traces with the traces of the run; GET /api/public/experiment-items names them, which this release does not serve yet'

const table: readonly (readonly [way: string, methods: readonly Method[], paths: readonly string[]])[] = [
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
  [deletedRuns, ['DELETE'], ['/datasets/:name/runs/:runName']],
]

/** None in the other modes: there they are routes, or not served yet. */
export function removedRoutes(writeMode: WriteMode): readonly Endpoint[] {
  if (writeMode !== 'events_only') return []
  return table.flatMap(([way, methods, paths]) =>
    paths.flatMap(path =>
      methods.map(method => ({
        method,
        path: `/api/public${path}`,
        kind: 'open' as const,
        answer: () =>
          json(404, {
            message: `${method} /api/public${path} is not available with SVC_MIGRATION_V4_WRITE_MODE=events_only. ${way}.`,
          }),
      })),
    ),
  )
}
