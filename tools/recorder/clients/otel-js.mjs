// Cases of OpenTelemetry's JavaScript exporters. The cases contain every field that an application can set through the API.

async function startProvider({ client, load, collectorUrl }, compression) {
  const format = client.includes('http') ? 'http' : 'proto'
  const { OTLPTraceExporter } = await load(`@opentelemetry/exporter-trace-otlp-${format}`)
  const { defaultResource, resourceFromAttributes } = await load('@opentelemetry/resources')
  const is2 = client.endsWith('0.203')
  const { BatchSpanProcessor, TracerProvider, NodeTracerProvider } = await load(
    is2 ? '@opentelemetry/sdk-trace-node' : '@opentelemetry/sdk-trace',
  )
  const exporter = new OTLPTraceExporter({
    url: `${collectorUrl}/v1/traces`,
    compression,
    headers: { Authorization: 'Basic cGstZml4dHVyZTpzay1maXh0dXJl' },
  })
  const resource = resourceFromAttributes({
    'service.name': 'weather-app',
    'service.version': '1.2.3',
    'deployment.environment.name': 'staging',
    'replica.count': 3,
    'feature.flags': ['a', 'b'],
  })
  const Provider = is2 ? NodeTracerProvider : TracerProvider
  const processor = is2 ? new BatchSpanProcessor(exporter) : new BatchSpanProcessor({ exporter })
  return new Provider({ resource: defaultResource().merge(resource), spanProcessors: [processor] })
}

const attributes = {
  text: 'Zürich ☀️ 𝄞',
  'text.empty': '',
  'text.control': 'tab\there\nnul\u0000end',
  'text.long': 'weather '.repeat(300),
  yes: true,
  no: false,
  'int.zero': 0,
  'int.negative': -7,
  'int.32bit': 2 ** 31,
  'int.40bit': 2 ** 40,
  'int.safe': Number.MAX_SAFE_INTEGER,
  double: 1.5,
  'double.small': 5e-324,
  'double.large': 1e300,
  'double.nan': Number.NaN,
  'double.infinity': Number.POSITIVE_INFINITY,
  texts: ['a', 'ü', ''],
  numbers: [1, 2.5, -3],
  flags: [true, false],
  empty: [],
}

// All versions of the exporter accept `holes`, a list with null. Only the newest SDK accepts the values of the other keys. Older SDKs drop
// these keys.
const nestedAttributes = {
  holes: ['a', null, 'b'],
  mixed: ['a', 1, true],
  map: { inner: { leaf: 1, list: ['x', { deep: true }] }, text: 'y' },
  bytes: new Uint8Array([0, 127, 128, 255]),
}

function everyField(api, provider) {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, createTraceState, trace } = api
  const tracer = provider.getTracer('weather-app.http', '4.5.6', { schemaUrl: 'https://opentelemetry.io/schemas/1.37.0' })
  const remote = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.SAMPLED,
    traceState: createTraceState('vendor=value,other=1'),
    isRemote: true,
  })
  const server = tracer.startSpan('GET /weather', { kind: SpanKind.SERVER, attributes: { ...attributes, ...nestedAttributes } }, remote)
  server.setStatus({ code: SpanStatusCode.OK })
  const inServer = trace.setSpan(remote, server)
  const link = { context: server.spanContext(), attributes: { 'link.reason': 'cause', 'link.number': 1 } }
  const client = tracer.startSpan('ask', { kind: SpanKind.CLIENT, links: [link] }, inServer)
  client.addEvent('first-token', { index: 0, text: 'It' })
  client.addEvent('plain')
  client.recordException(new TypeError('The sky fell.'))
  client.setStatus({ code: SpanStatusCode.ERROR, message: 'The sky fell.' })
  client.end()
  for (const kind of [SpanKind.INTERNAL, SpanKind.PRODUCER, SpanKind.CONSUMER]) tracer.startSpan(`kind ${kind}`, { kind }, inServer).end()
  // The last span has an empty name, ends at its start time, and has a scope without a version.
  const start = new Date(1_760_000_000_000)
  provider.getTracer('bare').startSpan('', { startTime: start }, inServer).end(start)
  server.end()
}

const record =
  (body, compression = 'none') =>
  async context => {
    const provider = await startProvider(context, compression)
    await body(await context.load('@opentelemetry/api'), provider)
    await provider.shutdown()
  }

function twoTraces({ ROOT_CONTEXT, trace }, provider) {
  const [one, two] = ['scope.one', 'scope.two'].map(name => provider.getTracer(name, '1.0.0'))
  const a = one.startSpan('trace a', { root: true })
  const b = two.startSpan('trace b', { root: true })
  one.startSpan('a.1', {}, trace.setSpan(ROOT_CONTEXT, a)).end()
  two.startSpan('b.1', {}, trace.setSpan(ROOT_CONTEXT, b)).end()
  two.startSpan('a.2', {}, trace.setSpan(ROOT_CONTEXT, a)).end()
  a.end()
  b.end()
}

export const cases = {
  'every-field': record(everyField),
  'every-field-gzip': record(everyField, 'gzip'),
  'two-traces': record(twoTraces),
}
