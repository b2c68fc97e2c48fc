// Starts the OpenTelemetry SDK as an application does. The provider exports spans in batches.

/** Registers a global provider. `finish()` sends all spans in one request. */
export async function startSdk({ load, collectorUrl }, options = {}) {
  const { BatchSpanProcessor, NodeTracerProvider } = await load('@opentelemetry/sdk-trace-node')
  const { resourceFromAttributes } = await load('@opentelemetry/resources')
  const { OTLPTraceExporter } = await load(`@opentelemetry/exporter-trace-otlp-${options.format ?? 'proto'}`)
  const { trace } = await load('@opentelemetry/api')
  const exporter = new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces`, ...options.exporter })
  const processor = new BatchSpanProcessor(exporter)
  const provider = new NodeTracerProvider({
    resource: (await load('@opentelemetry/resources'))
      .defaultResource()
      .merge(resourceFromAttributes(options.resource ?? { 'service.name': 'weather-app', 'service.version': '1.2.3' })),
    spanProcessors: [...(options.processors ?? []), processor],
  })
  provider.register()
  return { trace, provider, finish: () => provider.shutdown() }
}
