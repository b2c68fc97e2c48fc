// Cases of LangChain with OpenInference. OpenInference patches LangChain's callback manager.
import { startSdk } from './otel-sdk.mjs'

const withChain = body => async context => {
  const { require, modelUrl } = context
  const sdk = await startSdk(context)
  const { LangChainInstrumentation } = require('@arizeai/openinference-instrumentation-langchain')
  const instrumentation = new LangChainInstrumentation()
  instrumentation.setTracerProvider(sdk.provider)
  instrumentation.manuallyInstrument(require('@langchain/core/callbacks/manager'))
  const { ChatOpenAI } = require('@langchain/openai')
  const { ChatPromptTemplate } = require('@langchain/core/prompts')
  const { StringOutputParser } = require('@langchain/core/output_parsers')
  const chat = model =>
    new ChatOpenAI({ model, apiKey: 'sk-model', maxRetries: 0, temperature: 0.2, configuration: { baseURL: `${modelUrl}/v1` } })
  const prompt = ChatPromptTemplate.fromMessages([
    ['system', 'You are a weather service.'],
    ['human', 'How is the weather in {city}?'],
  ])
  await body({ chat, prompt, require, parser: new StringOutputParser() })
  await sdk.finish()
}

const metadata = { session_id: 'session-1', user_id: 'user-1', plan: 'pro', seats: 3 }

export const cases = {
  chain: withChain(({ chat, prompt, parser }) =>
    prompt
      .pipe(chat('gpt-5-mini'))
      .pipe(parser)
      .invoke({ city: 'Zürich' }, { metadata, tags: ['weather'], runName: 'answer-question' }),
  ),
  tools: withChain(async ({ chat, prompt, require }) => {
    const { tool } = require('@langchain/core/tools')
    const { z } = require('zod')
    const weather = tool(async ({ city }) => JSON.stringify({ city, degrees: 21 }), {
      name: 'get_weather',
      description: 'The weather of a city',
      schema: z.object({ city: z.string() }),
    })
    const message = await prompt.pipe(chat('gpt-5-mini').bindTools([weather])).invoke({ city: 'Zürich' }, { metadata })
    await weather.invoke(message.tool_calls[0], { metadata })
  }),
  error: withChain(async ({ chat, prompt }) => {
    await prompt
      .pipe(chat('unknown-model'))
      .invoke({ city: 'Zürich' })
      .catch(() => {})
  }),
}
