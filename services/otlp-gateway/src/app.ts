// The OTLP receiver, wired: which endpoint a request means, how its errors are answered, and when the last one is done.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { BrokenLog, createAppend } from '@svc-server/log/acknowledged'
import type { Authenticate } from '@svc-server/relational/authentication'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { createSdkUsageReporter } from '@svc-server/sdk-usage'
import { type Answer, ClientGone, createBudget, send } from '@svc-server/service/bodies'
import { type Health, healthy, unhealthy } from '@svc-server/service/health'
import { createClientAddresses, createPublicHealth } from '@svc-server/service/http'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { createWorkerPool } from '@svc-server/stream/worker-pool'
import manifest from '../package.json' with { type: 'json' }
import { createMetricsDiscard } from './discard-metrics.ts'
import { createTraceExport } from './export-traces.ts'
import { errorAnswer, jsonAnswer, preflightAnswer } from './http/answers.ts'
import { claimedFormat } from './http/encodings.ts'
import { endpointOf, methodsOf, queryParameter } from './http/paths.ts'
import { gatewayMetrics } from './metrics.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { GatewayConfig } from './settings.ts'
import { createShares } from './shares.ts'
import { createAdmitStage } from './stages/admit.ts'
import { createAuthenticateStage } from './stages/authenticate.ts'
import type { ExportJob } from './stages/plan.ts'
import type { WorkerAnswer } from './stages/plan-worker.ts'
import { createPrepareStage } from './stages/prepare.ts'
import { type Exchange, newTrail } from './trail.ts'

export interface GatewayDeps {
  readonly log: Pick<EventLog, 'append'>
  readonly authenticate: Authenticate
  readonly logger: Logger
  readonly metrics: MetricRegistry
  /** Wall clock, milliseconds: the received time of spans. */
  readonly clock: () => number
  readonly health?: Health
  /** Rejects when the relational store does not answer; asked by `/api/public/health?failIfDatabaseUnavailable=true`. */
  readonly checkDatabase?: () => Promise<unknown>
  /** A defect in what all requests share, the log: its request got a 500, and the process should finish the others and end (ADR 0014). */
  readonly onBroken?: (error: unknown) => void
}

export interface OtlpGateway extends Service {
  readonly name: string
  /** Listener for `request` of any number of node:http servers. */
  handle(req: IncomingMessage, res: ServerResponse): void
  /** Listener for `checkContinue`: the client is asked for its body only once it is admitted. */
  handleExpectingContinue(req: IncomingMessage, res: ServerResponse): void
}

/** A refused client may go on sending its body for this long before its connection is closed. */
const lingerMs = 5_000

export function createOtlpGateway(config: GatewayConfig, deps: GatewayDeps): OtlpGateway {
  const { logger, clock, onBroken = () => {} } = deps
  const { maxBodyBytes, maxRowBytes, maxWork, maxTraces, maxInflightBytesPerProject, bodyTimeoutMs, spanMaxAgeMonths } = config
  const metrics = createMetrics(gatewayMetrics, deps.metrics)
  const pool = createWorkerPool<ExportJob, WorkerAnswer>({
    script: new URL('./stages/plan-worker.ts', import.meta.url),
    size: config.workers,
    maxPerOwner: Math.max(1, config.workers - 1),
  })
  const budget = createBudget({ maxBytes: config.maxInflightBytes, maxBytesPerProject: config.maxInflightBytesPerProject })
  const authenticate = createAuthenticateStage(deps.authenticate, createClientAddresses(config.trustedProxies))
  const append = createAppend({ log: deps.log, ackTimeoutMs: config.logAckTimeoutMs })
  const sdkUsage = createSdkUsageReporter({ append: (topic, records) => append(topic, records).acknowledged, clock, logger })
  const exportTraces = createTraceExport({
    authenticate,
    admit: createAdmitStage(config),
    budget,
    shares: createShares({ unitsPerSecond: config.projectWorkPerSecond, burst: config.projectWorkPerSecond }, () => performance.now()),
    prepare: createPrepareStage({ pool, maxDecodedBytes: maxBodyBytes }),
    append,
    sdkUsage,
    ...{
      metrics,
      clock,
      maxBodyBytes,
      maxRowBytes,
      maxWork,
      maxTraces,
      maxInflightBytesPerProject,
      bodyTimeoutMs,
      maxRecordBytes,
      spanMaxAgeMonths,
    },
  })
  const discardMetrics = createMetricsDiscard({ authenticate, metrics, maxBodyBytes, bodyTimeoutMs })
  const publicHealth = createPublicHealth(
    { version: manifest.version, checkDatabase: deps.checkDatabase ?? (async () => {}), serving: () => state === 'serving' },
    jsonAnswer,
  )
  const refusals = createRefusalLog(logger, clock)

  let state: 'new' | 'serving' | 'draining' = 'new'
  let inflight = 0
  const idle: (() => void)[] = []

  metrics.inflightBytes.onScrape(() => metrics.inflightBytes.set(budget.usedBytes))
  metrics.inflightRequests.onScrape(() => metrics.inflightRequests.set(inflight))
  metrics.workersWaiting.onScrape(() => metrics.workersWaiting.set(pool.waiting))
  deps.health?.register({
    name: 'otlp-gateway',
    probe: 'ready',
    check: () => (state === 'serving' ? healthy : unhealthy(`the gateway is ${state === 'new' ? 'not started' : 'draining'}`)),
  })

  async function answerOf(exchange: Exchange): Promise<Answer> {
    const { req, trail } = exchange
    const { method = '', url = '' } = req
    if (trail.endpoint === undefined) throw new AppError('not_found', 'There is nothing at this path.')
    const methods = methodsOf[trail.endpoint]
    if (method === 'OPTIONS') return preflightAnswer(methods, req.headers['access-control-request-headers'])
    if (!methods.includes(method)) {
      throw new AppError('method_not_allowed', `${method} is not possible here.`, { allow: methods.join(', ') })
    }
    if (trail.endpoint === 'health') return publicHealth.health(queryParameter(url, 'failIfDatabaseUnavailable'))
    if (trail.endpoint === 'ready') return publicHealth.ready()
    if (state === 'draining') throw new AppError('draining', 'The gateway is draining.')
    if (trail.endpoint === 'metrics') return discardMetrics(exchange)
    if (trail.endpoint === 'traces') return exportTraces(exchange)
    throw new AppError('not_found', 'Log records are not stored here; this server takes traces.')
  }

  /** The answer to a request that failed; undefined when nobody waits for one. */
  function refuse(error: unknown, { req, res, trail }: Exchange): Answer | undefined {
    if (error instanceof ClientGone) return undefined
    const refusal = isAppError(error) ? error : new AppError('internal', 'The request failed.', {}, { cause: error })
    if (refusal === error) refusals.note(refusal)
    else defect(error, 'A request failed because of a defect')
    metrics.rejected.inc({ reason: refusal.code })
    if (trail.spans > 0) metrics.spans.inc({ outcome: 'refused', route: trail.route ?? 'none' }, trail.spans)
    return res.destroyed ? undefined : errorAnswer(refusal, trail.format ?? claimedFormat(req.headers))
  }

  /** A request owns everything but the log: what it leaves behind after a defect goes with it. */
  function defect(error: unknown, sentence: string): void {
    const broken = error instanceof BrokenLog
    logger.error({ err: error }, sentence)
    metrics.defects.inc({ state: broken ? 'shared' : 'own' })
    if (broken) onBroken(error)
  }

  function finish(answer: Answer | undefined, { req, res, trail }: Exchange, startedMs: number): void {
    inflight--
    if (answer === undefined) res.destroy()
    else {
      const route = trail.route === undefined ? {} : { 'x-svc-route': `${trail.route}; reason=${trail.reason}` }
      const timedOut = answer.status === 408
      send(
        req,
        res,
        { ...answer, headers: { ...answer.headers, ...route } },
        { close: state === 'draining' || timedOut, linger: { maxBytes: timedOut ? 0 : maxBodyBytes, timeoutMs: timedOut ? 0 : lingerMs } },
      )
    }
    if (trail.endpoint !== 'health' && trail.endpoint !== 'ready') {
      const labels = { encoding: trail.format ?? 'unknown', compression: trail.compression ?? 'unknown' } as const
      metrics.requests.inc({ code: answer?.status ?? 'aborted', ...labels })
      metrics.duration.observe({ endpoint: trail.endpoint ?? 'other' }, (performance.now() - startedMs) / 1000)
    }
    if (inflight === 0) for (const resolve of idle.splice(0)) resolve()
  }

  function receive(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const startedMs = performance.now()
    const exchange: Exchange = { req, res, trail: newTrail(endpointOf(req.url ?? '')), awaitsContinue }
    inflight++
    // A connection that breaks under an answer is the client's affair; without a listener the error would end the process.
    res.on('error', () => {})
    answerOf(exchange)
      .catch((error: unknown) => refuse(error, exchange))
      .then(answer => finish(answer, exchange, startedMs))
      .catch((error: unknown) => {
        defect(error, 'An answer could not be written because of a defect')
        res.destroy()
      })
  }

  return {
    name: 'otlp-gateway',
    handle: (req, res) => receive(req, res, false),
    handleExpectingContinue: (req, res) => receive(req, res, true),
    async start() {
      pool.start()
      sdkUsage.start()
      state = 'serving'
    },
    async drain() {
      state = 'draining'
      if (inflight > 0) await new Promise<void>(resolve => idle.push(resolve))
      await sdkUsage.stop()
      await pool.stop()
    },
  }
}
