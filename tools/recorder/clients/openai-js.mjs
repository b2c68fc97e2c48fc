// Cases of the OpenAI client with the instrumentation of OpenInference or OpenLLMetry.
import { startSdk } from './otel-sdk.mjs'

const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const question = [
  { role: 'system', content: 'You are a weather service.' },
  { role: 'user', content: 'How is the weather in Zürich?' },
]

const instrumentations = {
  'openinference-openai-js': require => new (require('@arizeai/openinference-instrumentation-openai').OpenAIInstrumentation)(),
  'openllmetry-openai-js': require => new (require('@traceloop/instrumentation-openai').OpenAIInstrumentation)(),
}

/** Runs a case inside a span of the application. The instrumentation sets user and session. */
const withClient = body => async context => {
  const { client, require, modelUrl } = context
  const sdk = await startSdk(context)
  const instrumentation = instrumentations[client](require)
  instrumentation.setTracerProvider(sdk.provider)
  const OpenAI = require('openai')
  instrumentation.manuallyInstrument(OpenAI)
  const openai = new OpenAI.OpenAI({ apiKey: 'sk-model', baseURL: `${modelUrl}/v1`, maxRetries: 0 })
  const tracer = sdk.trace.getTracer('weather-app', '1.2.3')
  const inApplication = () =>
    tracer.startActiveSpan('answer-question', { attributes: { 'user.id': 'user-1', 'session.id': 'session-1' } }, async span => {
      await body(openai)
      span.end()
    })
  if (client.startsWith('openinference')) {
    const { context: otelContext } = require('@opentelemetry/api')
    const { setMetadata, setSession, setTags, setUser } = require('@arizeai/openinference-core')
    let active = setSession(otelContext.active(), { sessionId: 'session-1' })
    active = setUser(active, { userId: 'user-1' })
    active = setMetadata(active, { plan: 'pro', seats: 3, nested: { beta: true } })
    active = setTags(active, ['weather', 'zürich'])
    await otelContext.with(active, inApplication)
  } else await inApplication()
  await sdk.finish()
}

const model = 'gpt-5-mini'

export const cases = {
  chat: withClient(openai => openai.chat.completions.create({ model, messages: question, temperature: 0.2, max_tokens: 200 })),
  'chat-tools': withClient(async openai => {
    const tools = [weatherTool]
    const first = await openai.chat.completions.create({ model, messages: question, tools, tool_choice: 'auto' })
    const { message } = first.choices[0]
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"degrees":21,"sky":"clear"}' }
    await openai.chat.completions.create({ model, messages: [...question, message, result], tools })
  }),
  'chat-stream': withClient(async openai => {
    const stream = await openai.chat.completions.create({
      model,
      messages: question,
      stream: true,
      stream_options: { include_usage: true },
    })
    for await (const _ of stream);
  }),
  embeddings: withClient(openai =>
    openai.embeddings.create({ model: 'text-embedding-3-small', input: ['Zürich', 'Genève'], encoding_format: 'float' }),
  ),
  'responses-tools': withClient(async openai => {
    const { function: tool } = weatherTool
    await openai.responses.create({
      model,
      instructions: question[0].content,
      input: question[1].content,
      tools: [{ type: 'function', ...tool }],
    })
  }),
  error: withClient(async openai => {
    await openai.chat.completions.create({ model: 'unknown-model', messages: question }).catch(() => {})
  }),
}
