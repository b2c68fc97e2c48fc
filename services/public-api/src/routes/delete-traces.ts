// DELETE /api/public/traces and /traces/{traceId}, in every write mode: noted, and a command on the log, before it is
// answered. Whether there is such a trace nobody asks: what comes of it later is denied, too.
import type { DeletionRequests } from '@svc-server/deletions/requests'
import { json } from '../http/answers.ts'
import type { BodyRequest, CallerRequest, Endpoint } from '../http/endpoint.ts'
import type { Caller } from '../http/identify.ts'
import { maxBodyBytes } from '../limits.ts'
import { maxIdLength } from '../schemas/fields.ts'
import type { RouteTools } from './tools.ts'

export interface DeleteTraceOptions extends Pick<RouteTools, 'metrics' | 'planner'> {
  readonly deletions: Pick<DeletionRequests, 'deleteTraces'>
}

export function deleteTraceRoutes({ deletions, planner, metrics }: DeleteTraceOptions): readonly Endpoint[] {
  async function remove({ projectId, apiKeyId }: Caller, given: readonly string[]): Promise<void> {
    // No trace has another id.
    const traceIds = given.filter(id => id !== '' && id.length <= maxIdLength)
    if (traceIds.length === 0) return
    await deletions.deleteTraces({ projectId, actor: { apiKeyId }, traceIds })
    metrics.deletions.inc({ what: 'trace' }, traceIds.length)
  }

  async function one({ caller, params }: CallerRequest) {
    await remove(caller, [params['traceId'] ?? ''])
    return json(200, { message: 'Trace deleted successfully' })
  }

  async function many({ caller, body }: BodyRequest) {
    await remove(caller, await planner.plan({ kind: 'deletion', body }, caller.projectId))
    return json(200, { message: 'Traces deleted successfully' })
  }

  return [
    { method: 'DELETE', path: '/api/public/traces/:traceId', kind: 'caller', answer: one },
    { method: 'DELETE', path: '/api/public/traces', kind: 'body', access: 'project', maxBytes: maxBodyBytes, answer: many },
  ]
}
