// Sends requests as this product's JavaScript SDK does: as OTLP/JSON, uncompressed and with chunked encoding.
import { startSdk } from './otel-sdk.mjs'

const versions = { current: '5.11.1', 'pinned-5.3': '5.3.0' }

const headers = version => ({
  Authorization: `Basic ${Buffer.from('pk-fixture:sk-fixture').toString('base64')}`,
  'x-svc-sdk-name': 'javascript',
  'x-svc-sdk-version': version,
  'x-svc-public-key': 'pk-fixture',
})

/** Returns a span processor. When a span starts, the returned processor sets the attributes that the SDK's own processor sets. */
const processorOf = (common, marksAppRoot) => ({
  onStart(span) {
    span.setAttributes(common)
    if (marksAppRoot && span.parentSpanContext === undefined) span.setAttribute('svc.internal.is_app_root', true)
  },
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
})

// Converts a value to text in the same way as the SDK. The string `"0"` and the number `0` become the same text.
const text = value => (typeof value === 'string' ? value : JSON.stringify(value))

const metadata = values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`svc.observation.metadata.${key}`, text(value)]))

const observation = (type, { input, output, ...rest }) => ({
  'svc.observation.type': type,
  ...(input === undefined ? {} : { 'svc.observation.input': text(input) }),
  ...(output === undefined ? {} : { 'svc.observation.output': text(output) }),
  ...rest,
})

const withSdk =
  (body, { common, version = versions.current, marksAppRoot = true }) =>
  async context => {
    const sdk = await startSdk(context, {
      format: 'http',
      exporter: { url: `${context.collectorUrl}/api/public/otel/v1/traces`, headers: headers(version), timeoutMillis: 5000 },
      resource: {},
      processors: [processorOf(common, marksAppRoot)],
    })
    const { trace, context: otelContext } = await context.load('@opentelemetry/api')
    const tracer = sdk.trace.getTracer('svc-sdk', version)
    /** Records a span. The attributes are set after the span has started. `fill` can start child spans. */
    const span = (name, attributes, parent, fill = () => {}) => {
      const started = tracer.startSpan(name, {}, parent === undefined ? otelContext.active() : trace.setSpan(otelContext.active(), parent))
      started.setAttributes(typeof attributes === 'function' ? attributes(started) : attributes)
      fill(started)
      started.end()
      return started
    }
    body(span)
    await sdk.finish()
  }

const messages = [
  { role: 'system', content: 'You are a weather service.' },
  { role: 'user', content: 'How is the weather in Zürich?' },
]

const generation = () =>
  observation('generation', {
    input: messages,
    output: { role: 'assistant', content: 'It is sunny in Zürich: 21 °C. ☀️' },
    'svc.observation.model.name': 'gpt-5-mini-2025-08-07',
    'svc.observation.model.parameters': '{"temperature":0.2,"max_tokens":200}',
    'svc.observation.usage_details': '{"input":26,"input_cached_tokens":16,"output":9,"output_reasoning_tokens":8,"total":59}',
    'svc.observation.cost_details': '{"input":0.0000065,"output":0.000018,"total":0.0000245}',
    'svc.observation.completion_start_time': JSON.stringify(new Date()),
    'svc.observation.prompt.name': 'weather',
    'svc.observation.prompt.version': 2,
  })

const everyMetadata = {
  plain: 'text',
  digits: '123',
  num: 0,
  float: 1.5,
  flag: true,
  nested: { a: { b: 0 }, list: [1, 'two'] },
  list: ['x', { y: 1 }],
  unicode: 'Zürich ☀️',
}

function answerQuestion(span) {
  span(
    'answer-question',
    observation('agent', { input: 'How is the weather in Zürich?', output: 'Sunny.', ...metadata(everyMetadata) }),
    undefined,
    root => {
      root.setAttribute('svc.trace.public', true)
      span('ask-model', generation(), root)
      span('get_weather', observation('tool', { input: { city: 'Zürich' }, output: { degrees: 21 } }), root)
      span(
        'embed',
        observation('embedding', {
          input: ['Zürich'],
          'svc.observation.model.name': 'text-embedding-3-small',
          'svc.observation.usage_details': '{"input":6}',
        }),
        root,
      )
      span('rain', observation('event', { 'svc.observation.level': 'WARNING', 'svc.observation.status_message': 'It may rain.' }), root)
      // The level is only an attribute. The level does not change the status of the span.
      span(
        'failed-step',
        observation('span', { 'svc.observation.level': 'ERROR', 'svc.observation.status_message': 'The sky fell.' }),
        root,
      )
    },
  )
}

const propagated = {
  'svc.environment': 'staging',
  'svc.release': 'v1.2.3',
  'user.id': 'user-1',
  'session.id': 'session-1',
  'svc.version': '7',
  'svc.trace.name': 'weather-trace',
  'svc.trace.tags': ['weather', 'zürich'],
  'svc.trace.metadata.plan': 'pro',
  'svc.trace.metadata.seats': '3',
}

function experimentItems(span) {
  const items = [
    { id: 'item-1', input: { city: 'Zürich' }, expected: '42', metadata: { deep: { x: 1 }, source: 'manual' } },
    { id: 'item-2', input: { city: 'Genève' }, expected: { degrees: 42, sky: 'clear' }, metadata: { deep: { x: 2 }, source: 'import' } },
  ]
  for (const item of items) {
    const ofItem = root => ({
      'svc.experiment.id': 'cmfixturedatasetrun0001',
      'svc.experiment.name': 'weather-run - 2026-11-21T10:00:00.000Z',
      'svc.experiment.metadata': '{"model":"gpt-5-mini","nested":{"a":[1,2]}}',
      'svc.experiment.dataset.id': 'dataset-1',
      'svc.experiment.item.id': item.id,
      'svc.experiment.item.metadata': JSON.stringify(item.metadata),
      'svc.experiment.item.root_observation_id': root.spanContext().spanId,
    })
    const onRoot = root => ({
      ...observation('span', {
        input: item.input,
        output: { degrees: 21 },
        ...metadata({ ...item.metadata, experiment_name: 'weather', dataset_item_id: item.id }),
      }),
      ...ofItem(root),
      'svc.experiment.description': 'Is the weather right?',
      'svc.experiment.item.expected_output': text(item.expected),
    })
    span('experiment-item-run', onRoot, undefined, root => span('ask-model', { ...generation(), ...ofItem(root) }, root))
  }
}

export const cases = {
  generation: withSdk(answerQuestion, { common: propagated }),
  experiment: withSdk(experimentItems, { common: { 'svc.environment': 'sdk-experiment', 'svc.release': 'v1.2.3' } }),
  'pinned-5.3': withSdk(answerQuestion, { common: propagated, version: versions['pinned-5.3'], marksAppRoot: false }),
}
