// What `events_only` no longer has (contract §4.5) and this release serves in no mode: 404 with what replaces it. A route that gets its operation
// (`gate: 'notInEventsOnly'`, `replacedBy`) leaves this list.
import type { Method } from '../operation.ts'
import { replacements } from './replacements.ts'

export interface RemovedRoute {
  readonly method: Method
  readonly path: string
  readonly replacedBy: string
}

const table: readonly (readonly [replacedBy: string, method: Method, paths: readonly string[]])[] = [
  [replacements.metrics, 'GET', ['/metrics', '/metrics/daily']],
]

export const removedRoutes: readonly RemovedRoute[] = table.flatMap(([replacedBy, method, paths]) =>
  paths.map(path => ({ method, path: `/api/public${path}`, replacedBy })),
)
