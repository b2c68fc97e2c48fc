// Repeats the cases in reported.ts for different providers, frameworks and spellings.
import type { Reported } from './reported.ts'
import { event, type Values } from './tables/explained.ts'

const json = JSON.stringify

const usd = (...amounts: readonly (readonly [tokens: number, perMillion: number])[]): number =>
  amounts.reduce((sum, [tokens, price]) => sum + tokens * price, 0) / 1e6

const of = (model: string, input: number, output: number, others: Values = {}): Values => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': model,
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
  ...others,
})
const cases = <T>(values: Readonly<Record<string, T>>, make: (value: T) => Reported): Readonly<Record<string, Reported>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]))

const heardTwoHundred = cases<Values>(
  {
    'a list as JSON': {
      'gen_ai.usage.prompt_tokens_details': json([
        { modality: 'AUDIO', token_count: 200 },
        { modality: 'TEXT', token_count: 1000 },
      ]),
    },
    'a list with the enumeration’s name': { 'gen_ai.usage.promptTokensDetails': json([{ modality: 'Modality.AUDIO', tokenCount: 200 }]) },
    'a list in the keys': {
      'gen_ai.usage.prompt_tokens_details.0.token_count': 200,
      'gen_ai.usage.prompt_tokens_details.0.modality': 'AUDIO',
      'gen_ai.usage.prompt_tokens_details.1.token_count': 1000,
      'gen_ai.usage.prompt_tokens_details.1.modality': 'TEXT',
    },
    'a provider’s name before it': { 'gen_ai.usage.google.prompt_tokens_details.audio_tokens': 200 },
  },
  said => ({
    values: of('gemini-2.5-flash', 1200, 340, said),
    usage: { input: 1000, input_audio_tokens: 200, total: 1540 },
    cost: usd([1000, 0.3], [200, 1], [340, 2.5]),
  }),
)

const listPrice = usd([1000, 1.25], [100, 10])
const ofSdk = (report: unknown): Values => ({ 'ai.response.providerMetadata': json(report) })
const money = {
  ...cases<Values>(
    {
      'the currency after it': { 'gen_ai.usage.cost': '2 usd' },
      'the currency before it': { 'gen_ai.usage.cost': 'USD 2.00' },
      'a value': { 'gen_ai.usage.cost.value': 2 },
      'a price with its parts': { 'gen_ai.usage.total_price': '2', 'gen_ai.usage.prompt_price': '1.5', 'gen_ai.usage.currency': 'USD' },
      'a framework within the conventions': { 'gen_ai.litellm.response_cost': 2 },
      'an observability product': { 'helicone.cost': 2 },
      'money within money': { 'gen_ai.usage.cost': json({ total_cost: 2, input_tokens_cost: 0.5 }) },
    },
    said => ({ values: of('gpt-5', 1000, 100, said), usage: { input: 1000, output: 100, total: 1100 }, cost: 2 }),
  ),
  ...cases<Values>(
    {
      'unknown, as -1': { 'gen_ai.usage.cost': -1 },
      'in euros': { 'gen_ai.usage.cost': '2 EUR' },
      'in euros, as a sign': { 'gen_ai.usage.cost': '€2' },
      'in yuan, beside it': { 'gen_ai.usage.total_price': '2', 'gen_ai.usage.currency': 'RMB' },
      'with commas of unknown meaning': { 'gen_ai.usage.cost': '1,234' },
    },
    said => ({ values: of('gpt-5', 1000, 100, said), cost: listPrice }),
  ),
  'digits in groups': { values: of('gpt-5', 1000, 100, { 'gen_ai.usage.cost': '$1,234.50' }), cost: 1234.5 },
  'a provider’s own report through the AI SDK': {
    values: of('sonar', 1000, 100, ofSdk({ perplexity: { usage: { cost: { total_cost: 2, input_tokens_cost: 1 } } } })),
    facts: { scope: { name: 'ai' } },
    cost: 2,
  },
  'the upstream’s cost is not the router’s': {
    values: of('gpt-5', 1000, 100, ofSdk({ openrouter: { usage: { cost: 2, costDetails: { upstreamInferenceCost: 1.9 } } } })),
    facts: { scope: { name: 'ai' } },
    cost: 2,
  },
} satisfies Record<string, Reported>

const behindGateway: Reported = {
  values: {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.provider': 'gateway',
    'gen_ai.request.model': 'anthropic/claude-sonnet-4.5',
    'ai.usage.inputTokens': 512,
    'ai.usage.cachedInputTokens': 200,
    'ai.usage.outputTokens': 40,
    'ai.usage.totalTokens': 552,
    ...ofSdk({ bedrock: { usage: { cacheReadInputTokens: 200 } } }),
  },
  facts: { scope: { name: 'ai' } },
  usage: { input: 512, input_cached_tokens: 200, total: 752 },
  cost: usd([512, 3], [200, 0.3], [40, 15]),
}

const delays = {
  ...cases<Values>(
    {
      'with its unit': { 'gen_ai.response.time_to_first_chunk': '420ms' },
      'in seconds with their unit': { 'gen_ai.response.time_to_first_chunk': '0.42 s' },
      'of the output': { 'gen_ai.response.time_to_first_output_token': 0.42 },
      'of Pipecat': { 'metrics.ttfb': 0.42 },
      'under the completion': { 'gen_ai.completion.start_time': '2026-11-21T12:00:00.543456Z' },
      'as a time': { 'gen_ai.response.first_token_timestamp': '2026-11-21T12:00:00.543456Z' },
      'as a time of a callback': { completion_start_time: '2026-11-21T12:00:00.543456Z' },
      'as milliseconds since 1970': { 'gen_ai.response.first_token_timestamp': 1_795_262_400_543 },
      'as seconds since 1970': { 'gen_ai.response.first_token_timestamp': 1_795_262_400.543456 },
    },
    said => ({ values: of('gpt-4.1', 5, 5, said), firstTokenMs: 420 }),
  ),
  ...cases(
    Object.fromEntries(['first_chunk', 'llm.first_token', 'gen_ai.response.first_output_token', 'First Token'].map(n => [n, n])),
    name => ({
      values: of('gpt-4.1', 5, 5),
      facts: { span: { events: [event(name, {}, '1795262400543456789')] } },
      firstTokenMs: 420,
    }),
  ),
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const description = 'Weather of a city'
const defined = { weather: [description, 'properties'] }
const tool = { type: 'function', name: 'weather', description, parameters: schema }
const messages = json([{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }])
const inMessages: Values = { 'gen_ai.input.messages': messages }
const tools = {
  ...cases<Values>(
    {
      'one tool': { 'gen_ai.tool.definitions': json(tool) },
      'by their names': { 'gen_ai.tool.definitions': json({ weather: { description, parameters: schema } }) },
      'within an object': { 'gen_ai.tool.definitions': json({ tools: [tool], toolChoice: { auto: {} } }) },
      'beside nothing': { 'gen_ai.tool.definitions': json([tool, null]) },
      'a tool’s metadata': { 'gen_ai.tool.definitions': json([{ metadata: { name: 'weather', description, parameters: schema } }]) },
      'a declaration': { 'gen_ai.tool.definitions': json([{ name: 'weather', description, declaration: { parameters: schema } }]) },
      inputs: { 'gen_ai.tool.definitions': json([{ name: 'weather', description, inputs: { properties: { type: 'string' } } }]) },
      'a custom tool’s format': {
        'gen_ai.tool.definitions': json([{ type: 'custom', custom: { name: 'weather', description, format: { properties: 'x' } } }]),
      },
      'gen_ai.tools': { 'gen_ai.tools': json([tool]) },
      'beside bare names': { 'gen_ai.tool.definitions': json([tool, 'web_search']) },
      'after a bare name': { 'gen_ai.tool.definitions': json(['web_search', tool]) },
      'the parameters of a request': { 'llm.invocation_parameters': json({ temperature: 0.5, tools: [tool] }) },
      'the functions among the parameters': {
        'llm.invocation_parameters': json({ functions: [{ name: 'weather', description, parameters: schema }] }),
      },
      'the parameters and llm.tools': { 'llm.invocation_parameters': json({ tools: [tool] }), 'llm.tools.0.tool.json_schema': json(tool) },
      'mlflow.chat.tools beside an input that has them': {
        'mlflow.chat.tools': json([tool]),
        'gen_ai.input.messages': json({ messages: [{ role: 'user', content: 'Hello' }], tools: [tool] }),
      },
      'mlflow.chat.tools': {
        'mlflow.chat.tools': json([{ type: 'function', function: { name: 'weather', description, parameters: schema } }]),
      },
      'gen_ai.request.functions': { 'gen_ai.request.functions': json([tool]) },
      'llm.tools as one list': { 'llm.tools': json([tool]) },
      'llm.tools, each as JSON': { 'llm.tools.0': json(tool) },
      'llm.tools, part by part': {
        'llm.tools.0.tool.name': 'weather',
        'llm.tools.0.tool.description': description,
        'llm.tools.0.tool.json_schema': json(schema),
      },
    },
    said => ({ values: of('claude-sonnet-4-5', 5, 5, { ...inMessages, ...said }), defined, input: ['Hello'] }),
  ),
  'in the event with the messages': {
    values: of('gpt-4.1', 5, 5),
    facts: {
      span: {
        events: [event('gen_ai.client.inference.operation.details', { ...inMessages, 'gen_ai.tool.definitions': json([tool]) })],
      },
    },
    defined,
    input: ['Hello'],
  } satisfies Reported,
}

const args = { location: 'Paris' }
const toolSpan = (...said: readonly Values[]): Reported => ({
  values: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather', 'gen_ai.tool.call.arguments': json(args) },
  facts: { span: { events: said.map(each => event('gen_ai.tool.message', each)) } },
  type: 'TOOL',
  input: ['{"location":"Paris"}'],
  output: ['21 °C'],
})
const answers = {
  'one message': toolSpan({ id: 'c1', content: '21 °C' }),
  'several messages': toolSpan({ id: 'c1', content: 'It is' }, { id: 'c1', content: '21 °C' }),
  'a choice': {
    ...toolSpan(),
    facts: {
      span: { events: [event('gen_ai.tool.message', { id: 'c1', content: 'Paris' }), event('gen_ai.choice', { message: '21 °C' })] },
    },
  },
  'no arguments': {
    values: { 'gen_ai.operation.name': 'execute_tool' },
    facts: { span: { events: [event('gen_ai.tool.message', { content: 'Paris' }), event('gen_ai.choice', { message: '21 °C' })] } },
    input: ['Paris'],
    output: ['21 °C'],
  },
} satisfies Record<string, Reported>
const cached = cases(
  Object.fromEntries(
    ['n_cached_tokens', 'n_cached_prompt_tokens', 'provider.cached_tokens', 'input_tokens_from_cache', 'promptTokensFromCache'].map(n => [
      n,
      n,
    ]),
  ),
  name => ({
    values: of('gpt-5', 1000, 100, { [`gen_ai.usage.${name}`]: 400 }),
    usage: { input: 600, input_cached_tokens: 400, output: 100, total: 1100 },
    cost: usd([600, 1.25], [400, 0.125], [100, 10]),
  }),
)
const calls = cases<unknown>(
  {
    'a custom tool': { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'get_weather', input: 'Paris' } }] },
    'the AI SDK’s messages of an interface': {
      role: 'assistant',
      parts: [{ type: 'tool-get_weather', toolCallId: 'c1', state: 'input-available', input: args }],
    },
    'LangChain’s older calls': {
      type: 'ai',
      data: {
        additional_kwargs: { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: json(args) } }] },
      },
    },
    'OpenInference’s flat names': {
      'message.tool_calls': [
        { 'tool_call.id': 'c1', 'tool_call.function.name': 'get_weather', 'tool_call.function.arguments': json(args) },
      ],
    },
    'LlamaIndex’s blocks': {
      role: 'assistant',
      blocks: [{ block_type: 'tool_call', tool_call_id: 'c1', tool_name: 'get_weather', tool_kwargs: args }],
    },
    'Semantic Kernel’s items': {
      role: 'assistant',
      items: [{ content_type: 'function_call', id: 'c1', name: 'get_weather', arguments: json(args) }],
    },
    'Semantic Kernel’s items in .NET': {
      Role: { Label: 'assistant' },
      Items: [{ $type: 'FunctionCallContent', Id: 'c1', FunctionName: 'get_weather', Arguments: args }],
    },
    'contents of Microsoft’s abstractions': {
      role: 'assistant',
      content: [{ $type: 'functionCall', callId: 'c1', name: 'get_weather', arguments: args }],
    },
    'an event’s content': {
      'gen_ai.event.content': json({
        index: 0,
        message: { role: 'Assistant' },
        tool_calls: [{ id: 'c1', function: { name: 'get_weather', arguments: args }, type: 'function' }],
      }),
    },
    'content as text': { role: 'assistant', content: json([{ type: 'tool_use', id: 'c1', name: 'get_weather', input: args }]) },
  },
  message => ({ values: of('x', 5, 5, { 'gen_ai.output.messages': json([message]) }), called: { get_weather: 'Paris' } }),
)
const choiceOfKernel: Reported = {
  values: of('x', 5, 5),
  facts: {
    span: {
      events: [
        event('gen_ai.choice', {
          'gen_ai.event.content': json({
            index: 0,
            message: { role: 'Assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'get_weather', arguments: args } }] },
          }),
        }),
      ],
    },
  },
  called: { get_weather: 'Paris' },
}
const noCalls: Reported = {
  values: of('x', 5, 5, { 'gen_ai.output.messages': json([{ role: 'assistant', content: json([{ name: 'x', arguments: {} }]) }]) }),
  called: {},
}
const callInKeys: Reported = {
  values: {
    'openinference.span.kind': 'LLM',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.function_call_name': 'get_weather',
    'llm.output_messages.0.message.function_call_arguments_json': json(args),
  },
  called: { get_weather: 'Paris' },
}

const found = (said: Values): Reported => ({
  values: { 'input.value': 'hours?', ...said },
  type: 'RETRIEVER',
  input: ['hours?'],
  output: ['Nine'],
})
const retrieval = {
  'OpenInference’s documents': found({ 'openinference.span.kind': 'RETRIEVER', 'retrieval.documents.0.document.content': 'Nine' }),
  'OpenInference’s documents as JSON': found({
    'openinference.span.kind': 'RETRIEVER',
    'retrieval.documents': json([{ 'document.content': 'Nine' }]),
  }),
  'a reranker’s documents': found({ 'openinference.span.kind': 'RERANKER', 'reranker.output_documents.0.document.content': 'Nine' }),
  'the conventions’ documents in keys, and no operation': {
    values: { 'gen_ai.retrieval.query.text': 'hours?', 'gen_ai.retrieval.documents.0.content': 'Nine' },
    type: 'RETRIEVER',
    input: ['hours?'],
    output: ['Nine'],
  },
  ...cases<string>(
    Object.fromEntries(['converse', 'messages', 'chat.completions', 'generate_image'].map(name => [name, name])),
    operation => ({ values: { 'gen_ai.operation.name': operation }, type: 'GENERATION' }),
  ),
  'a null before the messages': {
    values: { 'input.value': 'null', 'llm.input_messages.0.message.content': 'hours?' },
    input: ['hours?'],
  },
  embed: { values: { 'gen_ai.operation.name': 'embed' }, type: 'EMBEDDING' },
  'tools/call': { values: { 'gen_ai.operation.name': 'tools/call' }, type: 'TOOL' },
} satisfies Record<string, Reported>

const bytes = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) % 251)).toString('base64')
const wrapped = bytes.match(/.{1,76}/g)!
const inLines = cases<string>({ 'as MIME breaks it': wrapped.join('\r\n'), 'with an indent': wrapped.join('\n    ') }, text => ({
  values: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4.1',
    'gen_ai.input.messages': json([{ role: 'user', content: json([{ type: 'text', text }]) }]),
  },
  mostInputTokens: 5000,
}))

const tiers = {
  ...cases<Values>(
    {
      'the name of an enumeration': { 'gen_ai.response.service_tier': 'SERVICE_TIER_FLEX' },
      'asked for, and none said to be served': { 'gen_ai.response.service_tier': 'null', 'gen_ai.request.service_tier': 'flex' },
      'as a list': { 'gen_ai.response.service_tier': ['flex'], 'gen_ai.request.service_tier': 'priority' },
      'as a list in JSON': { 'gen_ai.response.service_tier': json(['flex', 'flex']), 'gen_ai.request.service_tier': 'priority' },
      'as a list within the usage': { 'gen_ai.usage': json({ service_tier: ['SERVICE_TIER_FLEX'] }) },
      'different ones in a list': { 'gen_ai.response.service_tier': json(['flex', 'priority']), 'gen_ai.request.service_tier': 'flex' },
      'within the usage': { 'gen_ai.usage': json({ service_tier: 'flex' }), 'gen_ai.request.service_tier': 'priority' },
    },
    said => ({ values: of('gpt-5', 1000, 100, said), tier: 'Flex', cost: listPrice / 2 }),
  ),
  'speed within the usage': {
    values: of('claude-opus-5-5', 1000, 100, { 'gen_ai.usage': json({ input_tokens: 1000, speed: 'fast' }) }),
    tier: 'Fast speed',
    cost: usd([1000, 8], [100, 40]),
  },
} satisfies Record<string, Reported>

export const reportedForms: Readonly<Record<string, Readonly<Record<string, Reported>>>> = {
  'tokens by modality in every form of list': heardTwoHundred,
  'money in other words': money,
  'a gateway before a provider that counts beside the cache': { Bedrock: behindGateway },
  'the time of the first token in other words': delays,
  'tools in other places': tools,
  'calls in other forms': {
    ...calls,
    'the older call in keys': callInKeys,
    'Semantic Kernel’s choice': choiceOfKernel,
    'JSON that the model wrote is no call': noCalls,
  },
  'tiers in other places': tiers,
  'a tool’s messages beside its arguments': answers,
  'the cached part in other words': cached,
  'retrieval in other words': retrieval,
  'base64 in lines is no text': inLines,
}
