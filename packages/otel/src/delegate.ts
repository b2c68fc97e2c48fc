// Hands ended spans to the exporter in batches, through OpenTelemetry's processors. Counts the spans that these processors drop.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { baseUrlProblem, getEnv } from '@svc/core'
import { Outbox, requestBytes } from './export/outbox.ts'
import { spanSize } from './export/span-size.ts'
import type { LostSpans } from './lost-spans.ts'
import type { Compression } from './settings.ts'
import { settledWithin } from './within.ts'

/** Default queue size of OpenTelemetry's batch processor. */
const defaultQueueSpans = 2048
const defaultBatchSpans = 512

/** Number of spans in five minutes of an outage, at a hundred spans per second. */
const maxKeptSpans = 30_000
const maxKeptBytes = 64 * 1024 * 1024
const leastWaitMs = 10_000
/** This time must be shorter than the 30 seconds after which orchestrators kill a container. */
const shutdownTimeoutMs = 15_000

export interface Delegate {
  onEnd(span: ReadableSpan): void
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

interface Batching {
  readonly exportMode: 'batched' | 'immediate'
  readonly flushAt: number | undefined
  readonly flushIntervalMs: number | undefined
  readonly lost: LostSpans
}

const positive = (text: string | undefined): number | undefined => (Number(text) > 0 ? Number(text) : undefined)

/** Counts the queued spans. When its queue is full, the batch processor silently drops spans, so the delegate checks this count first. */
class CountingExporter implements SpanExporter {
  queued = 0
  queuedBytes = 0
  private onDrained: () => void = () => {}
  private readonly exporter: SpanExporter
  private readonly lost: LostSpans

  constructor(exporter: SpanExporter, lost: LostSpans) {
    this.exporter = exporter
    this.lost = lost
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.queued -= spans.length
    this.queuedBytes = 0
    if (this.queued <= 0) this.onDrained()
    this.exporter.export(spans, result => {
      if (result.code !== ExportResultCode.SUCCESS) this.lost.add('the exporter failed', spans.length)
      resultCallback(result)
    })
  }

  /** Resolves when all queued spans have been passed to the exporter. */
  drained(): Promise<void> {
    return this.queued <= 0 ? Promise.resolve() : new Promise(resolve => (this.onDrained = resolve))
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.()
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }
}

interface Queue {
  readonly mostSpans?: number | undefined
  /**
   * When the texts of queued spans reach this number of characters, the spans are exported immediately. Without this limit, the queue could
   * become far larger, because a loop can end many large spans within one tick.
   */
  readonly mostBytes?: number
}

function delegateOf(exporter: SpanExporter, batching: Batching, { mostSpans: queueSpans, mostBytes }: Queue): Delegate {
  const { exportMode, flushAt, flushIntervalMs, lost } = batching
  const counting = new CountingExporter(exporter, lost)
  const isImmediate = exportMode === 'immediate'
  const processor: SpanProcessor = isImmediate
    ? new SimpleSpanProcessor(counting)
    : new BatchSpanProcessor(counting, {
        // If a setting is undefined, OpenTelemetry's own variable applies.
        ...(queueSpans !== undefined && { maxQueueSize: queueSpans }),
        ...(flushAt !== undefined && { maxExportBatchSize: flushAt }),
        ...(flushIntervalMs !== undefined && { scheduledDelayMillis: flushIntervalMs }),
      })
  const ofBatches = queueSpans ?? positive(getEnv('OTEL_BSP_MAX_QUEUE_SIZE')) ?? defaultQueueSpans
  const mostQueued = isImmediate ? Number.POSITIVE_INFINITY : ofBatches
  let isShutDown = false
  return {
    onEnd(span) {
      if ((span.spanContext().traceFlags & 1) === 0) return
      if (isShutDown) lost.add('they ended after shutdown', 1)
      else if (counting.queued >= mostQueued) lost.add('the queue of the batch processor was full', 1)
      else {
        counting.queued++
        if (mostBytes !== undefined) counting.queuedBytes += spanSize(span)
        processor.onEnd(span)
        if (mostBytes === undefined || counting.queuedBytes < mostBytes) return
        counting.queuedBytes = 0
        // `CountingExporter` counts the spans of a failed export, so the error is ignored here.
        processor.forceFlush().catch(() => {})
      }
    },
    async forceFlush() {
      await processor.forceFlush()
      // In immediate mode, `processor.forceFlush` has already waited for the exports.
      if (!isImmediate) await counting.forceFlush()
      lost.report()
    },
    async shutdown() {
      isShutDown = true
      // At its shutdown, the simple processor does not wait for spans whose resource is still being looked up.
      if (isImmediate) await settledWithin(counting.drained(), leastWaitMs)
      await processor.shutdown()
      lost.report()
    },
  }
}

/** Passes spans to the application's exporter without changing its settings. */
export function ownExporterDelegate(exporter: SpanExporter, batching: Batching): Delegate {
  return delegateOf(exporter, batching, {})
}

type Config = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>

/** If the address is unusable, returns an exporter that fails each batch with the reason, so that the application does not stop. */
function exporterOf(baseUrl: string, config: Config): SpanExporter {
  try {
    const problem = baseUrlProblem(baseUrl)
    if (problem !== undefined) throw new Error(problem)
    return new OTLPTraceExporter({ ...config, url: `${baseUrl}/api/public/otel/v1/traces` })
  } catch (error) {
    const fail = (): never => {
      throw error
    }
    return { export: fail, shutdown: () => Promise.resolve() }
  }
}

/** Keeps spans while the server is unreachable. */
export function serverDelegate(
  request: {
    readonly baseUrl: string
    readonly headers: Record<string, string>
    readonly timeoutMs: number
    readonly compression: Compression
    readonly maxBatchBytes: number
  },
  batching: Batching,
): Delegate {
  const ofOpenTelemetry = positive(getEnv('OTEL_BSP_MAX_QUEUE_SIZE'))
  const mostInBatch = ofOpenTelemetry ?? defaultQueueSpans
  const flushAt = batching.flushAt === undefined ? undefined : Math.min(batching.flushAt, mostInBatch)
  const { baseUrl, headers, timeoutMs } = request
  const outbox = new Outbox({
    // All options are given. If an option were missing, the exporter would read the option's environment variable itself, by different
    // rules.
    exporter: exporterOf(baseUrl, {
      headers,
      timeoutMillis: timeoutMs,
      compression: request.compression as NonNullable<Config['compression']>,
    }),
    lost: batching.lost,
    maxBatchSpans:
      batching.exportMode === 'immediate'
        ? defaultBatchSpans
        : (flushAt ?? Math.min(positive(getEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE')) ?? defaultBatchSpans, mostInBatch)),
    maxBatchBytes: request.maxBatchBytes,
    maxKeptSpans,
    maxKeptBytes,
    flushTimeoutMs: Math.max(timeoutMs, leastWaitMs),
    shutdownTimeoutMs: Math.max(timeoutMs, shutdownTimeoutMs),
  })
  // Without OTEL_BSP_MAX_QUEUE_SIZE, the queue may contain as many spans as the outbox. The outbox accepts every batch immediately. The
  // queue therefore contains more spans than one batch only in two cases: these spans end within one turn of the event loop, or their
  // resource is still being looked up.
  const mostSpans = ofOpenTelemetry === undefined ? maxKeptSpans : undefined
  return delegateOf(outbox, { ...batching, flushAt }, { mostSpans, mostBytes: requestBytes })
}
