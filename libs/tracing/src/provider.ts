// Sends spans of the services' own work to an OTLP receiver, with limited memory and time. Spans that the receiver does not accept are
// dropped. Services never wait for the receiver.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseKeyPairsIntoRecord, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'
import { setTracing } from './spans.ts'

export interface TracingOptions {
  /** Complete, such as https://collector:4318/v1/traces. */
  readonly url: string
  /** Request headers, as in OTEL_EXPORTER_OTLP_HEADERS: name=value,name=value. */
  readonly headers?: string | undefined
  /** Share of traces to send, from 0 to 1. */
  readonly ratio: number
  /** `service.name`. */
  readonly service: string
  /** Distinguishes processes of one service. */
  readonly instance: string
  readonly onError: (error: unknown) => void
}

export interface Tracing {
  /** Sends the remaining spans, within a few seconds. */
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
