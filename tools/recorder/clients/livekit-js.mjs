// Cases of a LiveKit voice agent. The session has no room, and uses text instead of voice.
import { startSdk } from './otel-sdk.mjs'

// The name of one LiveKit attribute contains the original brand of svc. `svc` replaces this brand.
const brandKey = /^\w+\.observation\.completion_start_time$/

const brandAsSvc = {
  onStart() {},
  onEnd({ attributes }) {
    for (const key of Object.keys(attributes).filter(name => brandKey.test(name))) {
      attributes[key.replace(/^\w+/, 'svc')] = attributes[key]
      delete attributes[key]
    }
  },
  forceFlush: async () => {},
  shutdown: async () => {},
}

export const cases = {
  async 'agent-turn'(context) {
    const { load, modelUrl } = context
    const { initializeLogger, llm, telemetry, voice } = await load('@livekit/agents')
    const { LLM } = await load('@livekit/agents-plugin-openai')
    const { z } = await load('zod')
    initializeLogger({ pretty: false, level: 'silent' })
    const sdk = await startSdk(context, { processors: [brandAsSvc] })
    telemetry.setTracerProvider(sdk.provider)
    const getWeather = llm.tool({
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, degrees: 21 }),
    })
    const agent = new voice.Agent({ instructions: 'You are a weather service.', tools: { get_weather: getWeather } })
    const session = new voice.AgentSession({ llm: new LLM({ model: 'gpt-5-mini', apiKey: 'sk-model', baseURL: `${modelUrl}/v1` }) })
    await session.start({ agent })
    await session.run({ userInput: 'How is the weather in Zürich?' }).wait()
    await session.close()
    await sdk.finish()
  },
}
