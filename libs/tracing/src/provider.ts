// Sends what services say of their own work to a receiver of OTLP. Bounded in memory and in time; what a receiver does not take is dropped, and
// a service never waits for it.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseKeyPairsIntoRecord, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'
import { setTracing } from './spans.ts'

export interface TracingOptions {
  /** Where OTLP over HTTP is taken, whole: https://collector:4318/v1/traces. */
  readonly url: string
  /** As OTEL_EXPORTER_OTLP_HEADERS has them: name=value,name=value. */
  readonly headers?: string | undefined
  /** Of all traces, 0 to 1. */
  readonly ratio: number
  /** `service.name`. */
  readonly service: string
  /** Tells processes of one service apart. */
  readonly instance: string
  /** Told of what could not be delivered, as often as that happens. */
  readonly onError: (error: unknown) => void
}

export interface Tracing {
  /** Sends what is left, for some seconds at most. */
  stop(): Promise<void>
}

const exportTimeoutMs = 5_000

export function startTracing({ url, headers, ratio, service, instance, onError }: TracingOptions): Tracing {
  setGlobalErrorHandler(onError)
  const exporter = new OTLPTraceExporter({ url, headers: parseKeyPairsIntoRecord(headers), timeoutMillis: exportTimeoutMs })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.namespace': 'svc', 'service.name': service, 'service.instance.id': instance }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, { maxQueueSize: 2048, maxExportBatchSize: 512, exportTimeoutMillis: exportTimeoutMs }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  setTracing(true)
  return {
    async stop() {
      setTracing(false)
      await provider.shutdown().catch(onError)
    },
  }
}
