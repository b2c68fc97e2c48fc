// The steps of one trace request, in a guaranteed order. The gateway reads no byte of a body before it knows the caller and has reserved
// memory. It sends no 200 before the log has the spans.
import { randomUUID } from 'node:crypto'
import { isAppError } from '@svc-server/errors'
import type { FairEntry } from '@svc-server/fairness/entry'
import type { RateLimits } from '@svc-server/fairness/rate-limits'
import type { Shares } from '@svc-server/fairness/shares'
import { type Budget, ClientGone, free, tooLarge } from '@svc-server/http/bodies'
import type { Append } from '@svc-server/log/acknowledged'
import { topicNames } from '@svc-server/modes/names'
import type { Route } from '@svc-server/modes/route'
import type { PartialSuccess } from '@svc-server/otlp/answer'
import type { SdkUsageCounter } from '@svc-server/sdk-usage'
import type { IngestIds } from '@svc-server/stream/ingest-id'
import type { Arrivals } from './arrivals.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { createAdmitStage } from './stages/admit.ts'
import type { createAuthenticateStage } from './stages/authenticate.ts'
import type { ExportPlan } from './stages/plan.ts'
import type { createPrepareStage } from './stages/prepare.ts'

export interface TraceExportDeps {
  readonly authenticate: ReturnType<typeof createAuthenticateStage>
  readonly admit: ReturnType<typeof createAdmitStage>
  readonly budget: Budget
  readonly entry: FairEntry
  readonly prepare: ReturnType<typeof createPrepareStage>
  readonly append: Append
  /** If absent, reads cannot wait for the spans of a request. */
  readonly ingestIds: IngestIds | undefined
  readonly shares: Shares
  readonly rateLimits: RateLimits
  readonly metrics: GatewayMetrics
  readonly sdkUsage: SdkUsageCounter
  readonly arrivals: Pick<Arrivals, 'accepted' | 'refused'> | undefined
  readonly clock: () => number
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly maxTraces: number
  /** Maximum bytes that one project's requests in flight can reserve. */
  readonly maxInflightBytesPerProject: number
  readonly spanMaxAgeMonths: number
}

const topicOf: Readonly<Record<Route, string>> = { direct: topicNames.direct, staging: topicNames.staging }
const pathOf = { direct: 'direct', staging: 'staged' } as const

/** The returned function processes a request as contract §4.4 defines. It throws ClientGone, or the AppError that refuses the request. */
export function createTraceExport(deps: TraceExportDeps) {
  const { authenticate, admit, budget, entry, shares, prepare, append, ingestIds, metrics, sdkUsage, arrivals, clock, maxBodyBytes } = deps
  const ingestId = createIngestIds()

  return async function exportTraces(exchange: Exchange): Promise<PartialSuccess | undefined> {
    try {
      return await exported(exchange)
    } catch (error) {
      const { publicKey } = exchange.context
      if (isAppError(error)) arrivals?.refused(error, { publicKey, authorization: exchange.request.headers.authorization })
      throw error
    }
  }

  async function exported(exchange: Exchange): Promise<PartialSuccess | undefined> {
    const { request, context } = exchange
    const { organization, projectId, publicKey: apiKey } = await authenticate(request)
    context.projectId = projectId
    context.publicKey = apiKey
    deps.rateLimits.take({ organization, bucket: 'ingestion' })
    const { format } = exchange.encodings()
    const admission = admit(request.headers)
    if (admission.kind === 'too_old') {
      sdkUsage.count({ projectId, ...admission.sdk, path: 'refused' })
      throw admission.refusal
    }
    const { route, reason, ...client } = admission.terms
    context.route = route
    context.reason = reason
    metrics.routed.inc({ route, reason })

    if ((exchange.declaredBytes ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)

    const lease = budget.lease(projectId)
    let settled = Promise.resolve()
    let leave = () => {}
    try {
      context.isRead = true
      const body = await exchange.receive(
        { maxBytes: maxBodyBytes, timeoutMs: deps.bodyTimeoutMs },
        { onGrowth: lease.resize, evicted: lease.evicted },
      )
      lease.arrived()
      // A request enters the queue after its body has arrived, so slow clients delay no one else.
      leave = await entry.enter(projectId, 1 + Math.floor(body.bytes.length / bytesOfOne))
      if (exchange.gone) throw new ClientGone('The client disconnected before its spans were read.')
      const { compression } = body
      const sentBytes = body.bytes.length
      context.ingestId = ingestId()
      const envelope = { projectId, apiKey, ...client, receivedAtMs: clock(), ingestId: context.ingestId }
      const { maxRecordBytes, maxRowBytes, maxWork, maxTraces, spanMaxAgeMonths: maxAgeMonths } = deps
      const limits = { maxRecordBytes, maxRowBytes, maxWork, maxTraces, maxAgeMonths }
      const plan = await prepare({ body: body.bytes, format, compression, route, envelope, ...limits }, lease)
      body.free()
      context.spans = plan.spans
      metrics.bodyBytes.observe({ form: 'sent' }, sentBytes)
      metrics.bodyBytes.observe({ form: 'decoded' }, plan.decodedBytes)
      if (plan.records.length > 0) {
        // A disconnected client usually sends the request again. If the gateway wrote the spans of both requests, an overload would become
        // worse (F40).
        if (exchange.gone) throw new ClientGone('The client disconnected before its spans were written.')
        // Only the records stay in memory until the log acknowledges them. The records can be several times as large as the body, because
        // sorting by trace repeats the resource in each record. If the records are larger than the project's share of memory, the request
        // reserves the whole share. A refusal would not help, because every retry would be refused, too.
        lease.resize(Math.min(recordBytes(plan), deps.maxInflightBytesPerProject))
        const appendedAtMs = performance.now()
        const appended = append(topicFor(route, projectId, plan), plan.records)
        settled = appended.settled
        const positions = await appended.acknowledged
        context.receipt = ingestIds?.seal(projectId, positions)
        metrics.appendDuration.observe((performance.now() - appendedAtMs) / 1000)
      }
      count(route, plan)
      for (const { value } of plan.records) free(value)
      sdkUsage.count({ projectId, sdkName: client.sdkName, sdkVersion: client.sdkVersion, path: pathOf[route], spans: plan.acceptedSpans })
      arrivals?.accepted({
        ...{ publicKey: apiKey, receivedAtMs: envelope.receivedAtMs, acceptedSpans: plan.acceptedSpans, traceId: plan.firstTraceId },
        ...{ rejectedSpans: plan.spans - plan.acceptedSpans, message: plan.notice?.message ?? '' },
      })
      return plan.notice
    } finally {
      leave()
      void settled.then(lease.release)
    }
  }

  /** Staged spans never go to the overflow topic: they wait for the end of their window, so they are not on the fast path anyway. */
  function topicFor(route: Route, projectId: string, plan: ExportPlan): string {
    if (route !== 'direct' || shares.take(projectId, plan.load)) return topicOf[route]
    metrics.overflowSpans.inc(plan.acceptedSpans)
    return topicNames.overflow
  }

  function count(route: Route, plan: ExportPlan): void {
    metrics.spans.inc({ outcome: 'accepted', route }, plan.acceptedSpans)
    metrics.records.inc({ route }, plan.records.length)
    metrics.recordBytes.inc({ route }, recordBytes(plan))
    metrics.spans.inc({ outcome: 'rejected', route }, plan.spans - plan.acceptedSpans)
    for (const [reason, spans] of Object.entries(plan.rejected)) metrics.rejectedSpans.inc({ reason }, spans)
  }
}

/** In the queue, a body of up to 256 KiB (before decompression) counts as one request. A larger body counts as several requests. */
const bytesOfOne = 256 * 1024

const recordBytes = ({ records }: ExportPlan) => records.reduce((bytes, { value }) => bytes + value.length, 0)

/** Ids are unique across gateways and restarts, without random bytes for every request. */
function createIngestIds(): () => string {
  const instance = randomUUID()
  let count = 0
  return () => `${instance}-${(count++).toString(36)}`
}
