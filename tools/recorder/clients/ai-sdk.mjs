// Cases of Vercel's AI SDK. Version 5 has its own telemetry. Version 7 is recorded with both formats of @ai-sdk/otel.
import { startSdk } from './otel-sdk.mjs'

const system = 'You are a weather service.'
const prompt = 'How is the weather in Zürich?'

const telemetryOf = {
  'ai-sdk-5': () => ({
    experimental_telemetry: {
      isEnabled: true,
      functionId: 'weather-answer',
      metadata: { userId: 'user-1', sessionId: 'session-1', tags: ['weather', 'zürich'], plan: 'pro', seats: 3, beta: true },
    },
  }),
  'ai-sdk-7': () => ({
    telemetry: {
      functionId: 'weather-answer',
      includeRuntimeContext: { userId: true, sessionId: true, plan: true, seats: true, svcPrompt: true },
    },
    runtimeContext: { userId: 'user-1', sessionId: 'session-1', plan: 'pro', seats: 3, svcPrompt: { name: 'weather', version: 2 } },
  }),
}

async function registerIntegration({ client, load }, options) {
  if (client === 'ai-sdk-5') return
  const { registerTelemetry } = await load('ai')
  const { LegacyOpenTelemetry, OpenTelemetry } = await load('@ai-sdk/otel')
  registerTelemetry(client.endsWith('legacy') ? new LegacyOpenTelemetry() : new OpenTelemetry(options))
}

// In version 5, this function still has its former name.
const embedder = openai => (openai.embeddingModel ?? openai.textEmbeddingModel)('text-embedding-3-small')

const withSdk = (body, integrationOptions) => async context => {
  const { client, load, modelUrl } = context
  const sdk = await startSdk(context)
  await registerIntegration(context, integrationOptions)
  const ai = await load('ai')
  const { z } = await load('zod')
  const { createOpenAI } = await load('@ai-sdk/openai')
  const { createAnthropic } = await load('@ai-sdk/anthropic')
  const weather = ai.tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 21, sky: 'clear' }),
  })
  await body({
    ai,
    z,
    tools: { get_weather: weather },
    openai: createOpenAI({ apiKey: 'sk-model', baseURL: `${modelUrl}/v1` }),
    anthropic: createAnthropic({ apiKey: 'sk-model', baseURL: `${modelUrl}/v1` }),
    telemetry: telemetryOf[client === 'ai-sdk-5' ? client : 'ai-sdk-7'](),
  })
  await sdk.finish()
}

const answerWithTools = (model, { ai, tools, telemetry }) =>
  ai.generateText({
    model,
    system,
    prompt,
    tools,
    stopWhen: ai.stepCountIs(3),
    temperature: 0.2,
    maxOutputTokens: 200,
    maxRetries: 0,
    ...telemetry,
  })

export const cases = {
  'generate-text-tools': withSdk(kit => answerWithTools(kit.openai('gpt-5-mini'), kit)),
  // Version 7 of the AI SDK sends the following data only if the application requests it.
  supplemental: withSdk(kit => answerWithTools(kit.anthropic('claude-sonnet-4-5'), kit), {
    usage: true,
    providerMetadata: true,
    runtimeContext: true,
    headers: true,
    toolChoice: true,
    schema: true,
    embedding: true,
  }),
  'anthropic-tools': withSdk(kit => answerWithTools(kit.anthropic('claude-sonnet-4-5'), kit)),
  'stream-text': withSdk(async ({ ai, openai, telemetry }) => {
    // This case uses the Chat Completions API of OpenAI.
    const { textStream } = ai.streamText({ model: openai.chat('gpt-5-mini'), system, prompt, maxRetries: 0, ...telemetry })
    for await (const _ of textStream);
  }),
  'generate-object': withSdk(({ ai, z, openai, telemetry }) =>
    ai.generateObject({
      model: openai('gpt-5-mini'),
      schema: z.object({ city: z.string(), degrees: z.number() }),
      prompt,
      maxRetries: 0,
      ...telemetry,
    }),
  ),
  embed: withSdk(({ ai, openai, telemetry }) => ai.embed({ model: embedder(openai), value: 'Zürich', maxRetries: 0, ...telemetry })),
  'embed-many': withSdk(({ ai, openai, telemetry }) =>
    ai.embedMany({ model: embedder(openai), values: ['Zürich', 'Genève'], maxRetries: 0, ...telemetry }),
  ),
  error: withSdk(({ ai, openai, telemetry }) =>
    ai.generateText({ model: openai('unknown-model'), prompt, maxRetries: 0, ...telemetry }).catch(() => {}),
  ),
}
