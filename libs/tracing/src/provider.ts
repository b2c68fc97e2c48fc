// Sends spans of the services' own work to an OTLP receiver. The provider limits memory and sending time. Spans that the receiver does not
// accept are dropped. Services never wait for the receiver.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseKeyPairsIntoRecord, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'
import { setTracing } from './spans.ts'

export interface TracingOptions {
  /** Complete URL of an OTLP/HTTP receiver, such as https://collector:4318/v1/traces. */
  readonly url: string
  /** The request headers, as in OTEL_EXPORTER_OTLP_HEADERS: name=value,name=value. */
  readonly headers?: string | undefined
  /** Fraction of traces to send, from 0 to 1. */
  readonly ratio: number
  /** `service.name`. */
  readonly service: string
  /** A name that distinguishes processes of one service. */
  readonly instance: string
  /** Called for every failed delivery. */
  readonly onError: (error: unknown) => void
}

export interface Tracing {
  /** Sends the remaining spans, which takes at most a few seconds. */
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
