// The OTLP receiver.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@svc-server/errors'
import { createFairEntry } from '@svc-server/fairness/entry'
import { createRateLimits } from '@svc-server/fairness/rate-limits'
import { createShares } from '@svc-server/fairness/shares'
import { createWorkerPool } from '@svc-server/fairness/worker-pool'
import { type Answer, createBudget, send } from '@svc-server/http/bodies'
import { createClientAddresses, createPublicHealth, type StreamHandler } from '@svc-server/http/listeners'
import type { EventLog } from '@svc-server/log'
import { createAppend } from '@svc-server/log/acknowledged'
import type { Arrival } from '@svc-server/relational/arrivals'
import type { Authenticate } from '@svc-server/relational/authentication'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { createSdkUsageReporter } from '@svc-server/sdk-usage'
import { type Health, healthy, unhealthy } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import type { Logger } from '@svc-server/service/logs'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import type { IngestIds } from '@svc-server/stream/ingest-id'
import manifest from '../package.json' with { type: 'json' }
import { createArrivals } from './arrivals.ts'
import { createMetricsDiscard } from './discard-metrics.ts'
import type { Exchange } from './exchange.ts'
import { createTraceExport } from './export-traces.ts'
import { createGrpcHandler } from './grpc/handler.ts'
import { errorAnswer, jsonAnswer, preflightAnswer, successAnswer } from './http/answers.ts'
import { claimedFormat } from './http/encodings.ts'
import { httpExchange } from './http/exchange.ts'
import { endpointOf, methodsOf, queryParameter, rightPath } from './http/paths.ts'
import { gatewayMetrics } from './metrics.ts'
import { newRequestContext } from './request-context.ts'
import { contextHeaders, createGatewayRequests } from './requests.ts'
import type { GatewayConfig } from './settings.ts'
import { createAdmitStage } from './stages/admit.ts'
import { createAuthenticateStage } from './stages/authenticate.ts'
import type { ExportJob } from './stages/plan.ts'
import type { WorkerAnswer } from './stages/plan-worker.ts'
import { createPrepareStage } from './stages/prepare.ts'

export interface GatewayDeps {
  readonly log: Pick<EventLog, 'append'>
  readonly authenticate: Authenticate
  readonly logger: Logger
  readonly metrics: MetricRegistry
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly health?: Health
  /** If absent, reads cannot wait for the spans of a request. */
  readonly ingestIds?: IngestIds
  /** If absent, the gateway does not record which requests it accepted and refused. */
  readonly writeArrivals?: (arrivals: readonly Arrival[]) => Promise<void>
  /** Rejects if the relational store does not respond. Used by `/api/public/health?failIfDatabaseUnavailable=true`. */
  readonly checkDatabase?: () => Promise<unknown>
  /** Called for a defect in the log, which all requests share. The process should then finish all other requests and exit (ADR 0014). */
  readonly onBroken?: (error: unknown) => void
}

export interface OtlpGateway extends Service {
  readonly name: string
  handle(req: IncomingMessage, res: ServerResponse): void
  /** The `checkContinue` listener. It sends 100 Continue only to an admitted client. */
  handleExpectingContinue(req: IncomingMessage, res: ServerResponse): void
  readonly handleStream: StreamHandler
}

/** If a project has sent no request for this time, no slots are reserved for it. */
const presenceMs = 2_000

/** How long a refused client can continue to send its body before the gateway closes the connection. */
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
  const sdkUsage = createSdkUsageReporter({ append: (topic, records) => append(topic, records).acknowledged, clock, logger, metrics })
  const arrivals = deps.writeArrivals && createArrivals({ write: deps.writeArrivals, logger, clock })
  const entry = createFairEntry({ mostOfOne: config.projectRequestsAtOnce, presenceMs })
  const exportTraces = createTraceExport({
    authenticate,
    admit: createAdmitStage(config),
    budget,
    entry,
    shares: createShares({ unitsPerSecond: config.projectWorkPerSecond, burst: config.projectWorkPerSecond }, () => performance.now()),
    rateLimits: createRateLimits(config.rateLimits, clock),
    prepare: createPrepareStage({ pool, maxDecodedBytes: maxBodyBytes }),
    append,
    ingestIds: deps.ingestIds,
    sdkUsage,
    arrivals,
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
  const requests = createGatewayRequests({ logger, metrics, clock, onBroken })

  let state: 'new' | 'serving' | 'draining' = 'new'

  metrics.inflightBytes.onScrape(() => metrics.inflightBytes.set(budget.usedBytes))
  metrics.inflightRequests.onScrape(() => metrics.inflightRequests.set(requests.inflight))
  metrics.workersWaiting.onScrape(() => metrics.workersWaiting.set(pool.waiting))
  metrics.entryWaiting.onScrape(() => metrics.entryWaiting.set(entry.waiting))
  deps.health?.register({
    name: 'otlp-gateway',
    probe: 'ready',
    check: () => (state === 'serving' ? healthy : unhealthy(`the gateway is ${state === 'new' ? 'not started' : 'draining'}`)),
  })

  function refuseWhileDraining(): void {
    if (state === 'draining') throw new AppError('draining', 'The gateway is draining.')
  }

  async function httpAnswer(exchange: Exchange, { method = '', url = '', headers }: IncomingMessage): Promise<Answer> {
    const { context } = exchange
    if (context.endpoint === undefined) {
      throw new AppError('not_found', `No route has this path. The endpoint is ${rightPath(url)}. The prefix /api/public/otel is optional.`)
    }
    const methods = methodsOf[context.endpoint]
    if (method === 'OPTIONS') return preflightAnswer(methods, headers['access-control-request-headers'])
    if (!methods.includes(method)) {
      throw new AppError('method_not_allowed', `This path does not support ${method}.`, { allow: methods.join(', ') })
    }
    if (context.endpoint === 'health') return publicHealth.health(queryParameter(url, 'failIfDatabaseUnavailable'))
    if (context.endpoint === 'ready') return publicHealth.ready()
    refuseWhileDraining()
    if (context.endpoint === 'logs') throw new AppError('not_found', 'This server stores traces, not log records.')
    const notice = await (context.endpoint === 'metrics' ? discardMetrics : exportTraces)(exchange)
    return successAnswer(context.format!, notice)
  }

  function receive(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    // Without a listener, the error of a broken connection would end the process.
    res.on('error', () => {})
    const context = newRequestContext('http', endpointOf(req.url ?? ''))
    const exchange = httpExchange(req, res, context, awaitsContinue)
    requests.run<Answer>({
      context,
      answer: () => httpAnswer(exchange, req),
      refusal: error => errorAnswer(error, context.format ?? claimedFormat(req.headers)),
      statusOf: ({ status }) => status,
      get gone() {
        return res.destroyed
      },
      send(answer) {
        const timedOut = answer.status === 408
        send(
          req,
          res,
          { ...answer, headers: { ...answer.headers, ...contextHeaders(context) } },
          {
            close: state === 'draining' || timedOut,
            linger: { maxBytes: timedOut ? 0 : maxBodyBytes, timeoutMs: timedOut ? 0 : lingerMs },
          },
        )
      },
      abort: () => void res.destroy(),
    })
  }

  const handleStream = createGrpcHandler({
    requests,
    serving: () => state === 'serving',
    bodyTimeoutMs,
    exports: {
      async traces(exchange) {
        refuseWhileDraining()
        return exportTraces(exchange)
      },
      async metrics(exchange) {
        refuseWhileDraining()
        return discardMetrics(exchange)
      },
    },
  })

  return {
    name: 'otlp-gateway',
    handle: (req, res) => receive(req, res, false),
    handleExpectingContinue: (req, res) => receive(req, res, true),
    handleStream,
    async start() {
      pool.start()
      sdkUsage.start()
      arrivals?.start()
      state = 'serving'
    },
    async drain() {
      state = 'draining'
      await requests.idle()
      await sdkUsage.stop()
      await arrivals?.stop()
      await pool.stop()
    },
  }
}
