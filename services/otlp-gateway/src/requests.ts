// The life of a request, whatever protocol brings it: counted while it runs, refused with what the catalogue says, measured when it is
// answered. What is thrown costs its request and nothing else.
import { AppError, isAppError } from '@svc-server/errors'
import { ClientGone } from '@svc-server/http/bodies'
import { BrokenLog } from '@svc-server/log/acknowledged'
import type { Logger } from '@svc-server/service/logs'
import { unreadCause } from '@svc-server/service/metrics'
import { annotate, isTracing } from '@svc-server/tracing'
import type { GatewayMetrics } from './metrics.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { Trail } from './trail.ts'

interface Request<Answer> {
  readonly trail: Trail
  /** Rejects with the AppError of a refusal, ClientGone, or a defect. */
  answer(): Promise<Answer>
  refusal(error: AppError): Answer
  /** HTTP status of an answer, or the one that HTTP would have had. */
  statusOf(answer: Answer): number
  /** Nobody waits for an answer any more. */
  readonly gone: boolean
  send(answer: Answer): void
  /** No answer is possible. */
  abort(): void
}

export interface RequestsOptions {
  readonly logger: Logger
  readonly metrics: GatewayMetrics
  readonly clock: () => number
  /** A defect in what all requests share. */
  readonly onBroken: (error: unknown) => void
}

export interface Requests {
  readonly inflight: number
  run<Answer>(request: Request<Answer>): void
  /** Resolves once none is running. */
  idle(): Promise<void>
}

export function createRequests({ logger, metrics, clock, onBroken }: RequestsOptions): Requests {
  const refusals = createRefusalLog(logger, clock)
  const waiting: (() => void)[] = []
  let inflight = 0

  /** A request owns everything but the log: what it leaves behind after a defect goes with it. */
  function defect(error: unknown, sentence: string, { projectId, ingestId }: Trail): void {
    const broken = error instanceof BrokenLog
    logger.error({ err: error, projectId, ingestId }, sentence)
    metrics.defects.inc({ state: broken ? 'shared' : 'own' })
    if (broken) onBroken(error)
  }

  /** The answer to a request that failed; undefined when nobody waits for one. */
  function refuse<Answer>(error: unknown, request: Request<Answer>): Answer | undefined {
    if (error instanceof ClientGone) return undefined
    const { trail } = request
    const refusal = isAppError(error) ? error : new AppError('internal', 'The request failed.', {}, { cause: error })
    if (refusal === error) refusals.note(refusal)
    else defect(error, 'A request failed because of a defect', trail)
    metrics.rejected.inc({ reason: refusal.code })
    annotate({ 'svc.refused': refusal.code })
    if (!trail.isRead) metrics.refusedUnread.inc({ cause: unreadCause(refusal.code) })
    if (trail.spans > 0) metrics.spans.inc({ outcome: 'refused', route: trail.route ?? 'none' }, trail.spans)
    return request.gone ? undefined : request.refusal(refusal)
  }

  function finish<Answer>(answer: Answer | undefined, request: Request<Answer>, startedMs: number): void {
    const { trail } = request
    inflight--
    say(trail)
    if (answer === undefined) request.abort()
    else request.send(answer)
    if (trail.endpoint !== 'health' && trail.endpoint !== 'ready') {
      const labels = { protocol: trail.protocol, encoding: trail.format ?? 'unknown', compression: trail.compression ?? 'unknown' } as const
      metrics.requests.inc({ code: answer === undefined ? 'aborted' : request.statusOf(answer), ...labels })
      metrics.duration.observe({ endpoint: trail.endpoint ?? 'other' }, (performance.now() - startedMs) / 1000)
    }
    if (inflight === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    get inflight() {
      return inflight
    },
    run(request) {
      const startedMs = performance.now()
      inflight++
      request
        .answer()
        .catch((error: unknown) => refuse(error, request))
        .then(answer => finish(answer, request, startedMs))
        .catch((error: unknown) => {
          defect(error, 'An answer could not be written because of a defect', request.trail)
          request.abort()
        })
    },
    async idle() {
      if (inflight > 0) await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}

/** What is known of a request in the end, for the span that it is. */
function say({ endpoint, protocol, format, compression, route, projectId, ingestId, spans }: Trail): void {
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

/** A route and the rule that chose it, as the header `x-svc-route` says them, and what a read may wait for. */
export const trailHeaders = ({ route, reason, receipt }: Trail): Readonly<Record<string, string>> => ({
  ...(route !== undefined && { 'x-svc-route': `${route}; reason=${reason}` }),
  ...(receipt !== undefined && { 'x-svc-ingest-id': receipt }),
})
