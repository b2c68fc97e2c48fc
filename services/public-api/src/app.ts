// Handles the requests of all operations.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { maxBodyBytes } from '@svc-server/api/fields/limits'
import { AppError } from '@svc-server/errors'
import { type Answer, send } from '@svc-server/http/bodies'
import { parseTarget } from '@svc-server/http/listeners'
import { createRequests } from '@svc-server/http/requests'
import { BrokenLog } from '@svc-server/log/acknowledged'
import type { Health } from '@svc-server/service/health'
import { healthy, unhealthy } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry, unreadCause } from '@svc-server/service/metrics'
import { apiMetrics } from './metrics.ts'
import { type BindOptions, createBinding } from './request/bind.ts'
import { closedBy, type Installation } from './request/gate.ts'
import type { Handler } from './request/handler.ts'
import { isOfWebApp, mountsOf } from './request/mounts.ts'
import { type ByteAnswer, errorAnswer, isRefusal, json, preflightAnswer, withCors, withoutCors } from './request/respond.ts'
import { createRouter, type Endpoint, type Meaning, type Router } from './request/route.ts'
import { sendBytes } from './request/send-bytes.ts'
import { createUnreadAnswers } from './request/unread-answers.ts'
import { InvalidBody } from './validation/invalid-body.ts'

export interface ApiDeps extends BindOptions, Installation {
  readonly handlers: readonly Handler[]
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /**
   * Called for a defect that concerns all requests. The process should finish the requests that are in progress, and then exit (ADR 0014).
   */
  readonly onBroken: (error: unknown) => void
}

export interface PublicApi extends Service {
  readonly serving: boolean
  handle(raw: IncomingMessage, response: ServerResponse): void
  handleExpectingContinue(raw: IncomingMessage, response: ServerResponse): void
}

/** Maximum bytes of responses that clients have not read. This is enough for about thirty of the largest responses. */
const maxUnreadBytes = 64 * 1024 * 1024

/** How long a refused client can continue to send its body before the API closes the connection. */
const lingerMs = 5_000

/** Returns the endpoints of all operations. If this installation does not serve an operation, `closed` contains the reason. */
function endpointsOf({ handlers, ...installation }: Pick<ApiDeps, 'handlers' | keyof Installation>): readonly Endpoint[] {
  const routed = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')
  return handlers.flatMap((handler): readonly Endpoint[] => {
    const { operation } = handler
    const closed = closedBy(operation, installation)
    const serves = closed === undefined ? handler : { closed }
    return mountsOf(operation).map(mount => ({ method: operation.method, path: routed(mount.path), serves, mount }))
  })
}

export function createPublicApi(deps: ApiDeps): PublicApi {
  const { logger, bodyTimeoutMs, onBroken } = deps
  const metrics = createMetrics(apiMetrics, deps.metrics)
  const binding = createBinding(deps)
  const unread = createUnreadAnswers({ maxBytes: maxUnreadBytes, timeoutMs: bodyTimeoutMs })
  const expecting = new WeakSet<IncomingMessage>()
  /** Requests whose body the API has begun to read. */
  const read = new WeakSet<IncomingMessage>()
  /** The owner of each request. A response counts in its owner's share of memory until the client has read it. */
  const owners = new WeakMap<IncomingMessage, string>()
  let router: Router | undefined
  let state: 'new' | 'serving' | 'draining' = 'new'
  const requests = createRequests()

  metrics.inflightBytes.onScrape(() => metrics.inflightBytes.set(binding.usedBytes))
  metrics.readsWaiting.onScrape(() => metrics.readsWaiting.set(binding.waitingReads))
  metrics.unreadBytes.onScrape(() => metrics.unreadBytes.set(unread.bytes))
  deps.health.register({
    name: 'public-api',
    probe: 'ready',
    check: () => (state === 'serving' ? healthy : unhealthy(`the public API is ${state === 'new' ? 'not started' : 'draining'}`)),
  })

  async function answerOf(raw: IncomingMessage, response: ServerResponse, meaning: Meaning): Promise<Answer | ByteAnswer> {
    if (meaning.kind === 'refused') throw meaning.error
    if (meaning.kind === 'preflight') {
      const { methods } = meaning
      if (isOfWebApp(parseTarget(raw.url).path)) return { status: 204, headers: { allow: methods.join(', ') }, body: '' }
      return preflightAnswer(methods, raw.headers['access-control-request-headers'])
    }
    const { serves, mount } = meaning.endpoint
    if ('closed' in serves) return json(404, { message: serves.closed })
    return binding.serve(serves, {
      raw,
      response,
      mount,
      params: meaning.params,
      query: parseTarget(raw.url).query,
      awaitsContinue: expecting.has(raw),
      isDraining: state === 'draining',
      onOwner: owner => owners.set(raw, owner),
      onRead: () => read.add(raw),
    })
  }

  const warnedAt = new Map<string, number>()
  /** Logs why a store did not respond, at most once a minute for each code. The response does not contain the cause. */
  function warnOfOutage(error: unknown): void {
    if (!(error instanceof AppError) || !error.code.endsWith('_unavailable')) return
    const now = deps.deps.clock()
    if (now - (warnedAt.get(error.code) ?? Number.NEGATIVE_INFINITY) < 60_000) return
    warnedAt.set(error.code, now)
    logger.warn({ err: error }, 'Requests get 503 because a store does not respond')
  }

  function refuse(error: unknown, raw: IncomingMessage, meaning: Meaning): Answer {
    const serves = meaning.kind === 'endpoint' ? meaning.endpoint.serves : undefined
    const refusedBy = meaning.kind === 'refused' ? meaning.family : undefined
    const family = serves !== undefined && 'operation' in serves ? serves.operation.family : refusedBy
    if (isRefusal(error)) {
      const reason = error instanceof AppError ? error.code : error instanceof InvalidBody ? 'invalid_body' : 'invalid_query'
      metrics.refused.inc({ reason })
      if (!read.has(raw)) metrics.refusedUnread.inc({ cause: unreadCause(reason) })
      warnOfOutage(error)
      logger.debug({ reason }, error.message)
      return errorAnswer(error, family)
    }
    defect(error, 'A request failed because of a defect')
    return errorAnswer(new AppError('internal', 'The request failed.'), family)
  }

  /** Requests share only the log. A defect that did not break the log affects only the request in which it occurred. */
  function defect(error: unknown, sentence: string): void {
    const broken = error instanceof BrokenLog
    logger.error({ err: error }, sentence)
    metrics.defects.inc({ state: broken ? 'shared' : 'own' })
    if (broken) onBroken(error)
  }

  async function respond(answer: Answer | ByteAnswer, raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = isOfWebApp(parseTarget(raw.url).path) ? withoutCors(answer) : withCors(answer, raw.headers.origin)
    if ('content' in sent) return sendBytes(raw, response, sent, bodyTimeoutMs)
    const timedOut = answer.status === 408
    const linger = { maxBytes: timedOut ? 0 : 2 * maxBodyBytes, timeoutMs: timedOut ? 0 : lingerMs }
    send(raw, response, sent, { close: state === 'draining' || timedOut, linger })
    unread.add(owners.get(raw) ?? '', response)
  }

  function serve(raw: IncomingMessage, response: ServerResponse, meaning: Meaning): void {
    const route = meaning.kind === 'endpoint' ? `${meaning.endpoint.method} ${meaning.endpoint.path}` : meaning.kind
    // Without a listener, the error of a broken connection would end the process.
    response.on('error', () => {})
    requests.run<Answer | ByteAnswer>({
      answer: () => answerOf(raw, response, meaning),
      refusal: error => refuse(error, raw, meaning),
      send: answer => respond(answer, raw, response),
      abort: () => void response.destroy(),
      over(answer, seconds) {
        metrics.requests.inc({ route, code: answer?.status ?? 'aborted' })
        metrics.duration.observe({ route }, seconds)
      },
      unanswered: error => defect(error, 'A response could not be written because of a defect'),
    })
  }

  return {
    get serving() {
      return state === 'serving'
    },
    handle: (raw, response) => router?.route(raw, response),
    handleExpectingContinue(raw, response) {
      expecting.add(raw)
      router?.route(raw, response)
    },
    async start() {
      router = await createRouter(endpointsOf(deps), serve)
      state = 'serving'
    },
    async drain() {
      state = 'draining'
      binding.cutStreams()
      await requests.idle()
      await router?.close()
    },
  }
}
