// Code snippets that send a first span, with the address and keys filled in.
import { curl, type Filled } from './curl.ts'

export interface Snippet {
  readonly id: string
  readonly code: string
}

function otlp({ address, publicKey, secretKey }: Filled): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${address}/api/public/otel`,
    `OTEL_EXPORTER_OTLP_HEADERS="Authorization=Basic%20$(printf %s '${publicKey}:${secretKey}' | base64 -w0),x-svc-ingestion-version=4"`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
  ].join('\n')
}

function js({ address, publicKey, secretKey }: Filled): string {
  return `// npm install @svc/tracing @svc/otel @opentelemetry/sdk-trace-node@2 @opentelemetry/exporter-trace-otlp-http@0.223
// SVC_PUBLIC_KEY=${publicKey} SVC_SECRET_KEY=${secretKey} SVC_BASE_URL=${address}
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { SvcSpanProcessor } from '@svc/otel'
import { startActiveObservation } from '@svc/tracing'

const processor = new SvcSpanProcessor()
new NodeTracerProvider({ spanProcessors: [processor] }).register()

await startActiveObservation('hello', async span => span.update({ input: 'How far is the moon?', output: '384,400 km' }))
await processor.forceFlush()`
}

function python({ address, publicKey, secretKey }: Filled): string {
  return `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from base64 import b64encode

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(
    endpoint="${address}/api/public/otel/v1/traces",
    headers={"authorization": "Basic " + b64encode(b"${publicKey}:${secretKey}").decode(), "x-svc-ingestion-version": "4"},
)))
with provider.get_tracer("hello").start_as_current_span("hello") as span:
    span.set_attribute("gen_ai.operation.name", "chat")
    span.set_attribute("gen_ai.request.model", "a-model")
provider.shutdown()`
}

export const snippetsOf = (filled: Filled): readonly Snippet[] => [
  { id: 'curl', code: curl(filled) },
  { id: 'otlp', code: otlp(filled) },
  { id: 'js', code: js(filled) },
  { id: 'python', code: python(filled) },
]
