// Lists defects that users of tracing systems reported. Each entry has a span and its correct row. Costs are in USD, from the shipped price
// list.
import { event, type Facts, type Values } from './tables/explained.ts'

const json = JSON.stringify

export interface Reported {
  readonly values: Values
  readonly facts?: Facts
  /** The expected usage. The row may have further keys, which the test does not compare. */
  readonly usage?: Readonly<Record<string, number>>
  readonly cost?: number
  readonly tier?: string
  readonly type?: string
  readonly input?: readonly string[]
  readonly output?: readonly string[]
  /** For each tool name: texts that the tool's definition must contain. */
  readonly defined?: Readonly<Record<string, readonly string[]>>
  /** For each expected tool call, the tool's name and a text that the call's arguments must contain. */
  readonly called?: Readonly<Record<string, string>>
  readonly firstTokenMs?: number
  readonly mostInputTokens?: number
}

const usd = (...amounts: readonly (readonly [tokens: number, perMillion: number])[]): number =>
  amounts.reduce((sum, [tokens, price]) => sum + tokens * price, 0) / 1e6

const of = (model: string, input: number, output: number, others: Values = {}): Values => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': model,
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
  ...others,
})
const scope = (name: string): Facts => ({ scope: { name } })
const named = (name: string): Facts => ({ scope: { name: 'livekit-agents' }, span: { name } })

const each = <T>(names: readonly T[], make: (name: T) => Reported): Readonly<Record<string, Reported>> =>
  Object.fromEntries(names.map(name => [String(name), make(name)]))

const flash = (details: Values, facts?: Facts): Reported => ({
  values: of('gemini-2.5-flash', 1200, 340, details),
  ...(facts !== undefined && { facts }),
  usage: { total: 1540 },
  cost: usd([1200, 0.3], [340, 2.5]),
})

const breakdowns: Readonly<Record<string, Reported>> = {
  'of Pydantic AI': flash(
    {
      'gen_ai.usage.details.text_prompt_tokens': 1200,
      'gen_ai.usage.details.thoughts_tokens': 290,
      'gen_ai.usage.details.text_candidates_tokens': 50,
    },
    scope('pydantic-ai'),
  ),
  'in camel case, as texts': flash({ 'gen_ai.usage.details.textPromptTokens': '1200', 'gen_ai.usage.details.thoughtsTokens': '290' }),
  'as JSON, by modality': flash({ 'gen_ai.usage.prompt_tokens_details': json([{ modality: 'TEXT', token_count: 1200 }]) }),
  'of what is no number of tokens': flash({
    'gen_ai.usage.details.requests': 3,
    'gen_ai.usage.details.web_search_requests': 2,
    'gen_ai.usage.details.unheard_of_tokens': 999,
  }),
  'that is negative': flash({ 'gen_ai.usage.details.thoughts_tokens': -5 }),
  'the counts under old and new names': flash({ 'gen_ai.usage.prompt_tokens': 1200, 'llm.token_count.completion': 340 }),
  'all counts in one map': {
    values: {
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gen_ai.usage': json({ promptTokenCount: 1200, candidatesTokenCount: 50, thoughtsTokenCount: 290, totalTokenCount: 1540 }),
    },
    usage: { total: 1540, input: 1200, output_reasoning_tokens: 290 },
    cost: usd([1200, 0.3], [340, 2.5]),
  },
  'does not lift a call into the long context': {
    values: of('gemini-2.5-pro', 110_000, 1000, { 'gen_ai.usage.details.text_prompt_tokens': 110_000 }),
    usage: { total: 111_000 },
    tier: 'Standard',
    cost: usd([110_000, 1.25], [1000, 10]),
  },
}

const written = each(
  [
    'cache_write.input_tokens',
    'cache_write_input_tokens',
    'input_tokens.cache_write',
    'cache_creation.input_tokens',
    'cacheWriteInputTokens',
    'prompt_tokens_details.cache_creation_tokens',
    'cache_store_tokens',
  ],
  name => ({
    values: of('claude-sonnet-4-5', 3000, 100, { [`gen_ai.usage.${name}`]: 2000 }),
    usage: { input: 1000, total: 3100 },
    cost: usd([1000, 3], [2000, 3.75], [100, 15]),
  }),
)

const limits = each(
  [
    'experimental.reasoning_tokens_limit',
    'thinking_budget',
    'max_output_tokens',
    'contextWindowTokens',
    'remaining_tokens',
    'tokens_per_second',
  ],
  name => ({
    values: of('gemini-2.5-pro', 1000, 450, { [`gen_ai.usage.${name}`]: 24_576 }),
    usage: { input: 1000, output: 450, total: 1450 },
    cost: usd([1000, 1.25], [450, 10]),
  }),
)

const aiSdk = (model: string, provider: string, input: number, read: number, others: Values): Reported['values'] => ({
  'ai.operationId': 'ai.generateText.doGenerate',
  'ai.model.provider': provider,
  'gen_ai.request.model': model,
  'ai.usage.inputTokens': input,
  'ai.usage.cachedInputTokens': read,
  'ai.usage.outputTokens': 40,
  'ai.usage.totalTokens': input + 40,
  ...others,
})

const beside = each(
  ['anthropic.messages', 'google.vertex.anthropic.messages', 'bedrock.anthropic.messages', 'amazon-bedrock'],
  provider => ({
    values: aiSdk('us.anthropic.claude-sonnet-4-5-20250929-v1:0', provider, 5000, 2000, {}),
    facts: scope('ai'),
    usage: { input: 5000, input_cached_tokens: 2000, total: 7040 },
    cost: usd([5000, 3], [2000, 0.3], [40, 15]),
  }),
)

const inside = each(['openai.responses', 'azure.chat', 'google.generative-ai', 'xai.chat'], provider => ({
  values: aiSdk('gpt-5', provider, 5000, 2000, {}),
  facts: scope('ai'),
  usage: { input: 3000, input_cached_tokens: 2000, total: 5040 },
  cost: usd([3000, 1.25], [2000, 0.125], [40, 10]),
}))

const moneyOf = (said: Values, cost: number): Reported => ({
  values: of('gpt-5', 1000, 100, said),
  usage: { input: 1000, output: 100, total: 1100 },
  cost,
})

/** A span with usage attributes under a provider's own names: two counts and a time. The mapping must not read the time as a count. */
const inWordsOf = (input: string, output: string, time: string): Reported => ({
  values: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-5',
    ...{ [`gen_ai.usage.${input}`]: 1000, [`gen_ai.usage.${output}`]: 100, [`gen_ai.usage.${time}`]: 9 },
  },
  usage: { input: 1000, output: 100, total: 1100 },
  cost: usd([1000, 1.25], [100, 10]),
})

const money: Readonly<Record<string, Reported>> = {
  'two dollars are no tokens': moneyOf({ 'gen_ai.usage.total_cost': 2 }, 2),
  'zero is zero': moneyOf({ 'gen_ai.usage.cost': 0 }, 0),
  'a text with its currency': moneyOf({ 'gen_ai.usage.cost': '$0.0005 USD' }, 0.0005),
  'a map': moneyOf({ 'gen_ai.usage.cost': json({ total: 0.5, input: 0.3, output: 0.2 }) }, 0.5),
  'a map without a total': moneyOf({ 'llm.cost': json({ prompt: 0.3, completion: 0.2 }) }, 0.5),
  'in USD': moneyOf({ 'gen_ai.usage.cost_in_usd': 0.5 }, 0.5),
  'of a gateway': moneyOf({ 'litellm.spend': 0.5 }, 0.5),
  'billed tokens are tokens': { ...moneyOf({ 'gen_ai.usage.billed_tokens': 7 }, usd([1000, 1.25], [100, 10])) },
  'of Ollama, by its own names': inWordsOf('prompt_eval_count', 'eval_count', 'eval_duration'),
  'below the name of Groq': inWordsOf('x_groq.usage.prompt_tokens', 'x_groq.usage.completion_tokens', 'x_groq.usage.total_time'),
  'in the metrics of a Bedrock invocation': inWordsOf(
    'invocationMetrics.inputTokenCount',
    'invocationMetrics.outputTokenCount',
    'invocationMetrics.invocationLatency',
  ),
  'ticks are no dollars': moneyOf({ 'gen_ai.usage.cost_in_usd_ticks': 37_756_000 }, usd([1000, 1.25], [100, 10])),
  'seconds of audio are no tokens': moneyOf({ 'gen_ai.usage.prompt_audio_seconds': 30 }, usd([1000, 1.25], [100, 10])),
  'seconds of a queue are no tokens': moneyOf(
    { 'gen_ai.usage.prompt_time': 3, 'gen_ai.usage.total_time': 9 },
    usd([1000, 1.25], [100, 10]),
  ),
  'of a router, with parts of the usage in its own words': {
    values: of('deepseek/deepseek-v4-flash', 42_547, 555, {
      'gen_ai.usage.input_tokens.cached': 40_000,
      'gen_ai.usage.output_tokens.reasoning': 300,
      'gen_ai.usage.input_tokens.audio': 0,
      'gen_ai.usage.total_cost': 0.00188,
      'gen_ai.usage.input_cost': 0.00172,
      'gen_ai.usage.output_cost': 0.00016,
    }),
    usage: { input: 2547, input_cached_tokens: 40_000, total: 43_102 },
    cost: 0.00188,
  },
}

const chat = json({ items: [{ type: 'message', role: 'user', content: ['When do you open?'] }] })
const voice: Readonly<Record<string, Reported>> = {
  'the model': {
    values: { 'lk.pii.chat_ctx': chat, 'lk.pii.response.text': 'At nine.' },
    facts: named('llm_node'),
    input: ['When do you open?'],
    output: ['At nine.'],
  },
  'the span around a model call, whose usage is in the call': {
    values: { 'gen_ai.request.model': 'gpt-4.1', 'lk.pii.chat_ctx': chat, 'lk.pii.response.text': 'At nine.' },
    facts: named('llm_node'),
    input: ['When do you open?'],
    mostInputTokens: 0,
  },
  'its voice': { values: { 'lk.pii.input_text': 'At nine.' }, facts: named('tts_node'), input: ['At nine.'] },
  'a tool': {
    values: { 'lk.function_tool.name': 'hours', 'lk.pii.function_tool.arguments': '{"day":"mon"}', 'lk.pii.function_tool.output': '9-17' },
    facts: named('function_tool'),
    input: ['mon'],
    output: ['9-17'],
  },
  'counts and the first token in its metrics': {
    values: of('gpt-4.1', 100, 10, {
      'lk.llm_metrics': json({ ttft: 0.42, prompt_tokens: 100, prompt_cached_tokens: 40, completion_tokens: 10 }),
    }),
    facts: named('llm_request'),
    usage: { input: 60, input_cached_tokens: 40, total: 110 },
    firstTokenMs: 420,
  },
}

const delays: Readonly<Record<string, Reported>> = Object.fromEntries(
  (
    [
      ['gen_ai.response.time_to_first_chunk', 0.42],
      ['gen_ai.client.operation.time_to_first_chunk', '0.42'],
      ['gen_ai.server.time_to_first_token', 0.42],
      ['llm.latency.time_to_first_token_ms', 420],
      ['lk.response.ttft', 0.42],
      ['ai.response.msToFirstChunk', 419.5],
      ['mastra.timeToFirstTokenMs', 420],
      ['gen_ai.response.time_to_first_chunk_ns', 420_000_000],
      // The name implies seconds, but the value is in milliseconds. The call took far less than 420 seconds.
      ['gen_ai.server.time_to_first_token in milliseconds', 420],
    ] as const
  ).map(([name, delay]) => [name, { values: of('gpt-4.1', 5, 5, { [name.split(' ')[0]!]: delay }), firstTokenMs: 420 }]),
)

const messages = json([{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }])
const instructions = Object.fromEntries(
  Object.entries({
    text: 'Be brief.',
    parts: json([{ type: 'text', content: 'Be brief.' }]),
    messages: json([{ role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] }]),
    'parts and messages': json([
      { type: 'text', content: 'Be kind.' },
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    ]),
    'of Gemini': json({ parts: [{ text: 'Be brief.' }] }),
  }).map(([form, said]): [string, Reported] => [
    form,
    {
      values: of('gpt-4.1', 5, 5, { 'gen_ai.input.messages': messages, 'gen_ai.system_instructions': said }),
      input: ['"role":"system"', 'Be brief.', 'Hello'],
    },
  ]),
)

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const description = 'Weather of a city'
const toolForms = {
  OpenAI: { type: 'function', function: { name: 'weather', description, parameters: schema } },
  Anthropic: { name: 'weather', description, input_schema: schema },
  MCP: { name: 'weather', description, inputSchema: schema },
  Bedrock: { toolSpec: { name: 'weather', description, inputSchema: { json: schema } } },
  Gemini: { functionDeclarations: [{ name: 'weather', description, parametersJsonSchema: schema }] },
  Haystack: { type: 'haystack.tools.tool.Tool', data: { name: 'weather', description, parameters: schema } },
  'Spring AI': { name: 'weather', description, inputTypeSchema: json(schema) },
  'a tool by another name': { toolName: 'weather', description, inputSchema: schema },
}
const defined = { weather: [description, 'properties'] }
const tools: Readonly<Record<string, Reported>> = {
  ...Object.fromEntries(
    Object.entries(toolForms).flatMap(([form, tool]): [string, Reported][] => [
      [
        `${form}, conventions`,
        { values: of('claude-sonnet-4-5', 5, 5, { 'gen_ai.input.messages': messages, 'gen_ai.tool.definitions': json([tool]) }), defined },
      ],
      [
        `${form}, OpenInference`,
        { values: { 'openinference.span.kind': 'LLM', 'input.value': 'Weather?', 'llm.tools.0.tool.json_schema': json(tool) }, defined },
      ],
    ]),
  ),
  'OpenLLMetry, part by part': {
    values: of('gpt-4.1', 5, 5, {
      'llm.request.functions.0.name': 'weather',
      'llm.request.functions.0.description': description,
      'llm.request.functions.0.input_schema': json(schema),
    }),
    defined,
  },
}

const args = { location: 'Paris' }
const callForms = {
  OpenAI: { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: json(args) } }] },
  'OpenAI’s responses': { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: json(args) },
  Anthropic: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: args }] },
  Gemini: { role: 'model', parts: [{ function_call: { id: 'c1', name: 'get_weather', args } }] },
  Bedrock: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'get_weather', input: args } }] },
  'Bedrock in snake case': { role: 'assistant', content: [{ tool_use: { tool_use_id: 'c1', name: 'get_weather', input: args } }] },
  'AI SDK': { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'get_weather', input: args }] },
  conventions: { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'get_weather', arguments: args }] },
  'a server’s tool': { role: 'assistant', parts: [{ type: 'server_tool_call', id: 'c1', name: 'get_weather', server_tool_call: args }] },
  MCP: { method: 'tools/call', params: { name: 'get_weather', arguments: args } },
  Haystack: { role: 'assistant', content: [{ tool_call: { tool_name: 'get_weather', arguments: args, id: 'c1' } }] },
  Genkit: { role: 'model', content: [{ toolRequest: { name: 'get_weather', input: args, ref: 'c1' } }] },
  'Pydantic AI': { kind: 'response', parts: [{ part_kind: 'tool-call', tool_name: 'get_weather', args: json(args), tool_call_id: 'c1' }] },
}
const called = { get_weather: 'Paris' }
const calls: Readonly<Record<string, Reported>> = Object.fromEntries(
  Object.entries(callForms).flatMap(([form, message]): [string, Reported][] => [
    [`${form}, messages`, { values: of('x', 5, 5, { 'gen_ai.output.messages': json([message]) }), called }],
    [
      `${form}, an event`,
      {
        values: of('x', 5, 5),
        facts: { span: { events: [event('gen_ai.choice', { finish_reason: 'tool_use', message: json(message) })] } },
        called,
      },
    ],
  ]),
)

const retrieval: Readonly<Record<string, Reported>> = {
  'the conventions’': {
    values: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'opening hours',
      'gen_ai.retrieval.documents': json([{ id: 'd1', score: 0.9 }]),
    },
    type: 'RETRIEVER',
    input: ['opening hours'],
    output: ['d1'],
  },
}

const bytes = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) % 251)).toString('base64')
const pictureForms = {
  OpenAI: { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } },
  Anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } },
  Gemini: { inline_data: { mime_type: 'image/png', data: bytes } },
  Bedrock: { image: { format: 'png', source: { bytes } } },
  'AI SDK': { type: 'file', mediaType: 'image/png', data: bytes },
  'in lines': { type: 'image', mime_type: 'image/png', data: bytes.replace(/.{76}/g, '$&\n') },
  'a tool’s answer': { type: 'tool_result', tool_use_id: 'x', content: json([{ type: 'image', data: bytes, mimeType: 'image/png' }]) },
}
const pictures: Readonly<Record<string, Reported>> = Object.fromEntries(
  Object.entries(pictureForms).flatMap(([form, part]): [string, Reported][] => {
    const content = [{ type: 'text', text: 'What is this?' }, part]
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4.1' }
    return [
      [form, { values: { ...call, 'gen_ai.input.messages': json([{ role: 'user', content }]) }, mostInputTokens: 5000 }],
      [
        `${form}, as JSON in a key`,
        { values: { ...call, 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': json(content) }, mostInputTokens: 5000 },
      ],
    ]
  }),
)

const tiers: Readonly<Record<string, Reported>> = {
  'served otherwise than asked for': {
    values: of('gpt-5', 1000, 100, { 'openai.request.service_tier': 'priority', 'openai.response.service_tier': 'default' }),
    tier: 'Standard',
  },
  ...each(['gen_ai.response.serviceTier', 'aws.bedrock.response.service_tier', 'gen_ai.usage.service_tier', 'service_tier'], name => ({
    values: of('gpt-5', 1000, 100, { [name]: 'FLEX' }),
    tier: 'Flex',
    cost: usd([1000, 0.625], [100, 5]),
  })),
}

export const reported: Readonly<Record<string, Readonly<Record<string, Reported>>>> = {
  'a breakdown is not added to what it breaks down': breakdowns,
  'tokens written to a cache, under every name': written,
  'a limit is no count': limits,
  'the AI SDK before its sixth version counts beside the cache what the provider counts beside it': beside,
  'and inside what the provider counts inside': inside,
  'money that is said': money,
  'the tier that was served': tiers,
  'a voice agent’s texts, renamed': voice,
  'the time of the first token': delays,
  'instructions in every form': instructions,
  'tools in every form': tools,
  'calls in every form': calls,
  retrieval,
  'a picture is no text': pictures,
}
