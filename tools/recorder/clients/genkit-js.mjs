// Cases of Genkit. Genkit creates spans with the provider that the application registers.
import { startSdk } from './otel-sdk.mjs'

const withGenkit = body => async context => {
  const { load, modelUrl } = context
  const sdk = await startSdk(context)
  const { genkit, z } = await load('genkit')
  const { openAICompatible } = await load('@genkit-ai/compat-oai')
  const { openAI } = await load('@genkit-ai/compat-oai/openai')
  const ai = genkit({ plugins: [openAI({ apiKey: 'sk-model', baseURL: `${modelUrl}/v1`, maxRetries: 0 })] })
  const weather = ai.defineTool(
    { name: 'get_weather', description: 'The weather of a city', inputSchema: z.object({ city: z.string() }) },
    async ({ city }) => ({ city, degrees: 21 }),
  )
  await body({ ai, z, weather, model: name => openAI.model(name), embedder: name => openAI.embedder(name), openAICompatible })
  await sdk.finish()
}

const prompt = 'How is the weather in Zürich?'
const system = 'You are a weather service.'

export const cases = {
  'generate-tools': withGenkit(async ({ ai, z, weather, model }) => {
    const flow = ai.defineFlow({ name: 'answer-question', inputSchema: z.string(), outputSchema: z.string() }, async question => {
      const { text } = await ai.generate({
        model: model('gpt-4o'),
        system,
        prompt: question,
        tools: [weather],
        config: { temperature: 0.2 },
      })
      return text
    })
    await flow(prompt)
  }),
  stream: withGenkit(async ({ ai, model }) => {
    const { stream, response } = ai.generateStream({ model: model('gpt-4o'), system, prompt })
    for await (const _ of stream);
    await response
  }),
  embed: withGenkit(({ ai, embedder }) => ai.embed({ embedder: embedder('text-embedding-3-small'), content: 'Zürich' })),
  error: withGenkit(async ({ ai, model }) => {
    await ai.generate({ model: model('unknown-model'), prompt }).catch(() => {})
  }),
}
