// The public API, wired: what every request goes through, whatever its route, and when the last one is done.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@svc-server/errors'
import { BrokenLog } from '@svc-server/log/acknowledged'
import { type Answer, type Budget, ClientGone, createBudget, send } from '@svc-server/service/bodies'
import type { Health } from '@svc-server/service/health'
import { healthy, unhealthy } from '@svc-server/service/health'
import { parseTarget } from '@svc-server/service/http'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry, unreadCause } from '@svc-server/service/metrics'
import { createFairPlaces } from '@svc-server/stream/fair-places'
import { InvalidBody } from './events/invalid-body.ts'
import { errorAnswer, isRefusal, preflightAnswer, withCors } from './http/answers.ts'
import type { Endpoint, Received } from './http/endpoint.ts'
import { type Caller, type Identify, ownerOf } from './http/identify.ts'
import { receiveJson } from './http/receive.ts'
import { createRouter, type Meaning, type Router } from './http/router.ts'
import { createUnreadAnswers } from './http/unread-answers.ts'
import { maxBodyBytes } from './limits.ts'
import { apiMetrics } from './metrics.ts'

export interface ApiDeps {
  readonly endpoints: readonly Endpoint[]
  readonly identify: Identify
  readonly maxInflightBytes: number
  readonly bodyTimeoutMs: number
  readonly logger: Logger
  readonly metrics: MetricRegistry
  readonly health: Health
  /** A defect in what all requests share: the process should finish the others and end (ADR 0014). */
  readonly onBroken: (error: unknown) => void
}

export interface PublicApi extends Service {
  readonly serving: boolean
  /** Listener for `request` of any number of node:http servers. */
  handle(raw: IncomingMessage, response: ServerResponse): void
  /** Listener for `checkContinue`. */
  handleExpectingContinue(raw: IncomingMessage, response: ServerResponse): void
}

/** Reads at once: fewer than the column store's client has connections, so that a project's own probe or deletion finds one. */
const reads = { places: 6, mostOfOne: 3, mostWaiting: 100 }
/** Of answers that clients do not take: some thirty of the largest. */
const maxUnreadBytes = 64 * 1024 * 1024

/** A refused client may go on sending its body for this long before its connection is closed. */
const lingerMs = 5_000

export function createPublicApi(deps: ApiDeps): PublicApi {
  const { identify, logger, maxInflightBytes, bodyTimeoutMs, onBroken } = deps
  const metrics = createMetrics(apiMetrics, deps.metrics)
  const budget: Budget = createBudget({ maxBytes: maxInflightBytes, maxBytesPerProject: Math.floor(maxInflightBytes / 2) })
  const readers = createFairPlaces(reads)
  const unread = createUnreadAnswers({ maxBytes: maxUnreadBytes, timeoutMs: bodyTimeoutMs })
  const expecting = new WeakSet<IncomingMessage>()
  /** Their body was asked for. */
  const read = new WeakSet<IncomingMessage>()
  /** Whose share of the memory an answer is. */
  const owners = new WeakMap<IncomingMessage, string>()
  let router: Router | undefined
  let state: 'new' | 'serving' | 'draining' = 'new'
  let inflight = 0
  const idle: (() => void)[] = []

  metrics.inflightBytes.onScrape(() => metrics.inflightBytes.set(budget.usedBytes))
  metrics.readsWaiting.onScrape(() => metrics.readsWaiting.set(readers.waiting))
  metrics.unreadBytes.onScrape(() => metrics.unreadBytes.set(unread.bytes))
  deps.health.register({
    name: 'public-api',
    probe: 'ready',
    check: () => (state === 'serving' ? healthy : unhealthy(`the public API is ${state === 'new' ? 'not started' : 'draining'}`)),
  })

  async function callerOf(raw: IncomingMessage, access: 'project' | 'scores'): Promise<Caller> {
    const caller = await identify.caller(raw, access)
    owners.set(raw, caller.projectId)
    return caller
  }

  async function answerOf(raw: IncomingMessage, response: ServerResponse, meaning: Meaning): Promise<Answer> {
    if (meaning.kind === 'refused') throw meaning.error
    if (meaning.kind === 'preflight') return preflightAnswer(meaning.methods, raw.headers['access-control-request-headers'])
    const { endpoint, params } = meaning
    const request = { raw, params, query: parseTarget(raw.url).query }
    if (endpoint.kind === 'open') return endpoint.answer(request)
    if (state === 'draining') throw new AppError('draining', 'The public API is draining.')
    const expect = (maxBytes: number, owner: string) => ({ raw, response, maxBytes, owner })
    switch (endpoint.kind) {
      case 'caller':
        return endpoint.answer({ ...request, caller: await callerOf(raw, 'project') })
      case 'reader': {
        const caller = await callerOf(raw, 'project')
        return readers.run(caller.projectId, async () => {
          if (response.destroyed) throw new ClientGone()
          return endpoint.answer({ ...request, caller })
        })
      }
      case 'administrator':
        return endpoint.answer({ ...request, administrator: await identify.administrator(raw) })
      case 'body': {
        const caller = await callerOf(raw, endpoint.access)
        return withBody(expect(endpoint.maxBytes, caller.projectId), received => endpoint.answer({ ...request, ...received, caller }))
      }
      case 'administrator-body': {
        const administrator = await identify.administrator(raw)
        return withBody(expect(endpoint.maxBytes, ownerOf(administrator)), ({ body }) =>
          endpoint.answer({ ...request, body, administrator }),
        )
      }
    }
  }

  interface Expected {
    readonly raw: IncomingMessage
    readonly response: ServerResponse
    readonly maxBytes: number
    /** Whose share of the memory it is. */
    readonly owner: string
  }

  /** Receives a body and works on it; its memory is given back when the work, and what it holds, is over. */
  async function withBody({ raw, response, maxBytes, owner }: Expected, work: (received: Received) => Promise<Answer>): Promise<Answer> {
    const lease = budget.lease(owner)
    const settled: Promise<void>[] = []
    read.add(raw)
    try {
      const awaitsContinue = expecting.has(raw)
      const { bytes: body } = await receiveJson({ raw, response, maxBytes, timeoutMs: bodyTimeoutMs, lease, awaitsContinue })
      lease.arrived()
      return await work({ body, lease, gone: () => response.destroyed, holdUntil: end => void settled.push(end) })
    } finally {
      void Promise.all(settled).then(lease.release)
    }
  }

  /** The answer to a request that failed; undefined when nobody waits for one. */
  function refuse(error: unknown, raw: IncomingMessage, meaning: Meaning): Answer | undefined {
    const family = meaning.kind === 'endpoint' ? meaning.endpoint.errors : undefined
    if (error instanceof ClientGone) return undefined
    if (isRefusal(error)) {
      const reason = error instanceof InvalidBody ? 'invalid_body' : error.code
      metrics.refused.inc({ reason })
      if (!read.has(raw)) metrics.refusedUnread.inc({ cause: unreadCause(reason) })
      logger.debug({ reason }, error.message)
      return errorAnswer(error, family)
    }
    defect(error, 'A request failed because of a defect')
    return errorAnswer(new AppError('internal', 'The request failed.'), family)
  }

  /** A request owns everything but the log: what it leaves behind after a defect goes with it. */
  function defect(error: unknown, sentence: string): void {
    const broken = error instanceof BrokenLog
    logger.error({ err: error }, sentence)
    metrics.defects.inc({ state: broken ? 'shared' : 'own' })
    if (broken) onBroken(error)
  }

  function finish(answer: Answer | undefined, raw: IncomingMessage, response: ServerResponse, route: string, startedMs: number): void {
    inflight--
    if (answer === undefined) response.destroy()
    else {
      const timedOut = answer.status === 408
      const linger = { maxBytes: timedOut ? 0 : 2 * maxBodyBytes, timeoutMs: timedOut ? 0 : lingerMs }
      send(raw, response, withCors(answer, raw.headers.origin), { close: state === 'draining' || timedOut, linger })
      unread.add(owners.get(raw) ?? '', response)
    }
    metrics.requests.inc({ route, code: answer?.status ?? 'aborted' })
    metrics.duration.observe({ route }, (performance.now() - startedMs) / 1000)
    if (inflight === 0) for (const resolve of idle.splice(0)) resolve()
  }

  function serve(raw: IncomingMessage, response: ServerResponse, meaning: Meaning): void {
    const startedMs = performance.now()
    const route = meaning.kind === 'endpoint' ? `${meaning.endpoint.method} ${meaning.endpoint.path}` : meaning.kind
    inflight++
    // A connection that breaks under an answer is the client's affair; without a listener the error would end
    // the process.
    response.on('error', () => {})
    answerOf(raw, response, meaning)
      .catch((error: unknown) => refuse(error, raw, meaning))
      .then(answer => finish(answer, raw, response, route, startedMs))
      .catch((error: unknown) => {
        defect(error, 'An answer could not be written because of a defect')
        response.destroy()
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
      router = await createRouter(deps.endpoints, serve)
      state = 'serving'
    },
    async drain() {
      state = 'draining'
      if (inflight > 0) await new Promise<void>(resolve => idle.push(resolve))
      await router?.close()
    },
  }
}
