// Cases of Logfire for Node. The application adds a second exporter.

export const cases = {
  async spans({ load, collectorUrl }) {
    const logfire = await load('@pydantic/logfire-node')
    const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto')
    const { BatchSpanProcessor } = await load('@opentelemetry/sdk-trace-base')
    const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces` }))
    logfire.configure({
      serviceName: 'weather-app',
      serviceVersion: '1.2.3',
      environment: 'staging',
      sendToLogfire: false,
      console: false,
      additionalSpanProcessors: [processor],
    })
    await logfire.span('answer {question}', {
      attributes: {
        question: 'How is the weather?',
        'session.id': 'session-1',
        'user.id': 'user-1',
        nested: { degrees: 21, list: [1, 'two'] },
      },
      tags: ['weather'],
      callback: async () => {
        logfire.info('asking {city}', { city: 'Zürich', degrees: 21.5 })
        logfire.warning('it may rain')
        logfire.reportError('the sky fell', new TypeError('The sky fell.'))
      },
    })
    await processor.forceFlush()
  },
}
