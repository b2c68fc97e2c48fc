// What `events_only` no longer has (contract §4.5) and this release serves in no mode: 404 with what replaces it. A route that gets its operation
// (`gate: 'notInEventsOnly'`, `replacedBy`) leaves this list.
import type { Method } from '../operation.ts'

export interface RemovedRoute {
  readonly method: Method
  readonly path: string
  readonly replacedBy: string
}

const observations = 'Use the Observations API v2, GET /api/public/v2/observations'
const scores = 'Use the Scores API v3, GET /api/public/v3/scores'
const metrics = 'Use the Metrics API v2, GET /api/public/v2/metrics'
const experiments = 'Use the experiments API, GET /api/public/experiments and GET /api/public/experiment-items'
const deletedRuns = 'Use DELETE /api/public/traces with the traces of the run, which GET /api/public/experiment-items names'

const table: readonly (readonly [replacedBy: string, method: Method, paths: readonly string[]])[] = [
  [
    observations,
    'GET',
    ['/traces', '/traces/{traceId}', '/observations', '/observations/{observationId}', '/sessions', '/sessions/{sessionId}'],
  ],
  [scores, 'GET', ['/scores', '/scores/{scoreId}', '/v2/scores', '/v2/scores/{scoreId}']],
  [metrics, 'GET', ['/metrics', '/metrics/daily']],
  [experiments, 'GET', ['/dataset-run-items', '/datasets/{name}/runs', '/datasets/{name}/runs/{runName}']],
  [deletedRuns, 'DELETE', ['/datasets/{name}/runs/{runName}']],
]

export const removedRoutes: readonly RemovedRoute[] = table.flatMap(([replacedBy, method, paths]) =>
  paths.map(path => ({ method, path: `/api/public${path}`, replacedBy })),
)
