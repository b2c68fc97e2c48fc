// Handles the requests of all protocols. libs/http defines the life cycle of a request.
import { AppError, isAppError } from '@svc-server/errors'
import { createRequests, type Requests } from '@svc-server/http/requests'
import { BrokenLog } from '@svc-server/log/acknowledged'
import type { Logger } from '@svc-server/service/logs'
import { unreadCause } from '@svc-server/service/metrics'
import { annotate, isTracing } from '@svc-server/tracing'
import type { GatewayMetrics } from './metrics.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { RequestContext } from './request-context.ts'

interface GatewayRequest<Answer> {
  readonly context: RequestContext
  /**
   * Rejects with an AppError if the request is refused, and with ClientGone if the client has disconnected. Any other error is a defect.
   */
  answer(): Promise<Answer>
  refusal(error: AppError): Answer
  /** Returns the HTTP status of a response. For gRPC, this is the status with which HTTP would have responded. */
  statusOf(answer: Answer): number
  readonly gone: boolean
  send(answer: Answer): void
  abort(): void
}

export interface RequestsOptions {
  readonly logger: Logger
  readonly metrics: GatewayMetrics
  readonly clock: () => number
  /** Called for a defect that concerns all requests. */
  readonly onBroken: (error: unknown) => void
}

export interface GatewayRequests extends Pick<Requests, 'inflight' | 'idle'> {
  run<Answer>(request: GatewayRequest<Answer>): void
}

export function createGatewayRequests({ logger, metrics, clock, onBroken }: RequestsOptions): GatewayRequests {
  const refusals = createRefusalLog(logger, clock)
  const requests = createRequests()

  /** Logs and counts an error that is not an AppError. Requests share only the log, so only a BrokenLog error affects other requests. */
  function defect(error: unknown, sentence: string, { projectId, ingestId }: RequestContext): void {
    const broken = error instanceof BrokenLog
    logger.error({ err: error, projectId, ingestId }, sentence)
    metrics.defects.inc({ state: broken ? 'shared' : 'own' })
    if (broken) onBroken(error)
  }

  /** Returns undefined if the client has disconnected. */
  function refuse<Answer>(error: unknown, request: GatewayRequest<Answer>): Answer | undefined {
    const { context } = request
    const refusal = isAppError(error) ? error : new AppError('internal', 'The request failed.', {}, { cause: error })
    if (refusal === error) refusals.note(refusal)
    else defect(error, 'A request failed because of a defect', context)
    metrics.rejected.inc({ reason: refusal.code })
    annotate({ 'svc.refused': refusal.code })
    if (!context.isRead) metrics.refusedUnread.inc({ cause: unreadCause(refusal.code) })
    if (context.spans > 0) metrics.spans.inc({ outcome: 'refused', route: context.route ?? 'none' }, context.spans)
    return request.gone ? undefined : request.refusal(refusal)
  }

  function count(code: number | 'aborted', { endpoint, protocol, format, compression }: RequestContext, seconds: number): void {
    if (endpoint === 'health' || endpoint === 'ready') return
    metrics.requests.inc({ code, protocol, encoding: format ?? 'unknown', compression: compression ?? 'unknown' })
    metrics.duration.observe({ endpoint: endpoint ?? 'other' }, seconds)
  }

  return {
    get inflight() {
      return requests.inflight
    },
    run(request) {
      const { context } = request
      requests.run({
        answer: () => request.answer(),
        refusal: error => refuse(error, request),
        send(answer) {
          say(context)
          request.send(answer)
        },
        abort() {
          say(context)
          request.abort()
        },
        over: (answer, seconds) => count(answer === undefined ? 'aborted' : request.statusOf(answer), context, seconds),
        unanswered: error => defect(error, 'A response could not be written because of a defect', context),
      })
    },
    idle: requests.idle,
  }
}

function say({ endpoint, protocol, format, compression, route, projectId, ingestId, spans }: RequestContext): void {
  if (!isTracing()) return
  const attributes = {
    'svc.route': route,
    'svc.project_id': projectId,
    'svc.ingest_id': ingestId,
    'svc.spans': spans,
    'svc.format': format,
    'svc.compression': compression,
  }
  annotate(attributes, `${protocol} ${endpoint ?? 'nothing'}`)
}

/** `x-svc-route`: the route and the rule that chose it. `x-svc-ingest-id`: the id that a read can wait for. */
export const contextHeaders = ({ route, reason, receipt }: RequestContext): Readonly<Record<string, string>> => ({
  ...(route !== undefined && { 'x-svc-route': `${route}; reason=${reason}` }),
  ...(receipt !== undefined && { 'x-svc-ingest-id': receipt }),
})
