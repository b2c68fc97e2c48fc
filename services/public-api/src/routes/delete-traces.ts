// DELETE /api/public/traces and /traces/{traceId}, in every write mode: noted, and a command on the log, before it is
// answered. Whether there is such a trace nobody asks: what comes of it later is denied, too.
import type { DeletionRequests } from '@svc-server/deletions/requests'
import { parseJson } from '../events/batch.ts'
import { InvalidBody } from '../events/invalid-body.ts'
import { issuesOf } from '../events/refusals.ts'
import { json } from '../http/answers.ts'
import type { BodyRequest, CallerRequest, Endpoint } from '../http/endpoint.ts'
import type { Caller } from '../http/identify.ts'
import { maxBodyBytes } from '../limits.ts'
import { deleteTraces } from '../schemas/delete-traces.ts'
import { maxIdLength } from '../schemas/fields.ts'
import type { RouteTools } from './tools.ts'

export interface DeleteTraceOptions extends Pick<RouteTools, 'metrics'> {
  readonly deletions: Pick<DeletionRequests, 'deleteTraces'>
}

export function deleteTraceRoutes({ deletions, metrics }: DeleteTraceOptions): readonly Endpoint[] {
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
    const parsed = deleteTraces.safeParse(parseJson(body))
    if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
    await remove(caller, parsed.data.traceIds)
    return json(200, { message: 'Traces deleted successfully' })
  }

  return [
    { method: 'DELETE', path: '/api/public/traces/:traceId', kind: 'caller', answer: one },
    { method: 'DELETE', path: '/api/public/traces', kind: 'body', access: 'project', maxBytes: maxBodyBytes, answer: many },
  ]
}
