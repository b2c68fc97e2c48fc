// Lists the usage that each provider or router reports for a call. Each entry has the span attributes that instrumentations send for this
// usage.
import type { Values } from './tables/explained.ts'

const json = JSON.stringify

type Report = Readonly<Record<string, unknown>>

interface OwnUsage {
  readonly model?: string
  readonly usage: Report
  readonly total: number
  /** The provider's bill in USD. */
  readonly bill: number
}

const usd = (...amounts: readonly (readonly [tokens: number, perMillion: number])[]): number =>
  amounts.reduce((sum, [tokens, price]) => sum + tokens * price, 0) / 1e6

const plainBill = usd([1000, 1.25], [100, 10])
const cachedBill = usd([600, 1.25], [400, 0.125], [100, 10])
/** Reports a call with 1000 input tokens and 100 output tokens at the prices of gpt-5. `bill` is the expected cost. */
const plain = (usage: Report, bill = plainBill, total = 1100): OwnUsage => ({ usage, total, bill })
const cached = (usage: Report): OwnUsage => plain(usage, cachedBill)

const routed = { upstream_inference_cost: 0.0123, upstream_inference_prompt_cost: 0.01, upstream_inference_completions_cost: 0.0023 }
const sonnet = { model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', total: 5120 }
const byLifetime = usd([20, 3], [3000, 0.3], [1500, 3.75], [500, 6], [100, 15])

export const ownUsages: Readonly<Record<string, OwnUsage>> = {
  'OpenAI’s chat': {
    model: 'gpt-4o',
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 20, rejected_prediction_tokens: 10 },
    },
    total: 1100,
    bill: usd([600, 2.5], [400, 1.25], [100, 10]),
  },
  'OpenAI’s responses': cached({
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 100,
    output_tokens_details: { reasoning_tokens: 64 },
    total_tokens: 1100,
  }),
  'OpenAI’s realtime': {
    model: 'gpt-realtime',
    usage: {
      total_tokens: 253,
      input_tokens: 132,
      output_tokens: 121,
      input_token_details: {
        text_tokens: 119,
        audio_tokens: 13,
        image_tokens: 0,
        cached_tokens: 64,
        cached_tokens_details: { text_tokens: 60, audio_tokens: 4, image_tokens: 0 },
      },
      output_token_details: { text_tokens: 30, audio_tokens: 91 },
    },
    total: 253,
    bill: usd([59, 4], [9, 32], [64, 0.4], [30, 16], [91, 64]),
  },
  'OpenAI’s transcription': {
    model: 'gpt-4o-transcribe',
    usage: {
      type: 'tokens',
      input_tokens: 14,
      input_token_details: { text_tokens: 4, audio_tokens: 10 },
      output_tokens: 45,
      total_tokens: 59,
    },
    total: 59,
    bill: usd([4, 2.5], [10, 6], [45, 10]),
  },
  'the parts of a whole that is not reported': {
    model: 'gpt-4o-transcribe',
    usage: { input_text_tokens: 4, input_audio_tokens: 10, output_text_tokens: 45 },
    total: 59,
    bill: usd([4, 2.5], [10, 6], [45, 10]),
  },
  'Anthropic’s messages': {
    ...sonnet,
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 2000,
      cache_read_input_tokens: 3000,
      cache_creation: { ephemeral_5m_input_tokens: 1500, ephemeral_1h_input_tokens: 500 },
      output_tokens: 100,
      service_tier: 'standard',
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    },
    bill: byLifetime,
  },
  Gemini: {
    model: 'gemini-2.5-flash',
    usage: {
      promptTokenCount: 1000,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 200,
      toolUsePromptTokenCount: 50,
      cachedContentTokenCount: 300,
      totalTokenCount: 1350,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 800 },
        { modality: 'AUDIO', tokenCount: 200 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 250 },
        { modality: 'AUDIO', tokenCount: 50 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
      toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: 50 }],
      trafficType: 'ON_DEMAND',
    },
    total: 1350,
    bill: usd([550, 0.3], [150, 1], [250, 0.03], [50, 0.1], [50, 0.3], [300, 2.5]),
  },
  'Gemini, tool tokens by modality only': {
    model: 'gemini-2.5-flash',
    usage: {
      promptTokenCount: 1000,
      candidatesTokenCount: 100,
      totalTokenCount: 1150,
      toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: 50 }],
    },
    total: 1150,
    bill: usd([1050, 0.3], [100, 2.5]),
  },
  'Gemini’s live sessions': {
    model: 'gemini-3.8-live',
    usage: {
      promptTokenCount: 100,
      responseTokenCount: 60,
      totalTokenCount: 160,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 20 },
        { modality: 'AUDIO', tokenCount: 50 },
        { modality: 'VIDEO', tokenCount: 30 },
      ],
      responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 60 }],
    },
    total: 160,
    bill: usd([20, 0.75], [50, 3], [30, 1], [60, 12]),
  },
  'Vertex, with billable tokens': {
    model: 'gemini-2.5-flash',
    usage: { promptTokenCount: 1000, billablePromptTokenCount: 900, candidatesTokenCount: 100, totalTokenCount: 1100 },
    total: 1100,
    bill: usd([900, 0.3], [100, 2.5]),
  },
  'Bedrock’s Converse': {
    ...sonnet,
    usage: {
      inputTokens: 20,
      outputTokens: 100,
      totalTokens: 5120,
      cacheReadInputTokens: 3000,
      cacheWriteInputTokens: 2000,
      cacheDetails: [
        { ttl: '5m', inputTokens: 1500 },
        { ttl: '1h', inputTokens: 500 },
      ],
    },
    bill: byLifetime,
  },
  'the metrics of a Bedrock invocation': plain({
    'amazon-bedrock-invocationMetrics': { inputTokenCount: 1000, outputTokenCount: 100, invocationLatency: 900, firstByteLatency: 300 },
  }),
  'Llama on Bedrock': plain({ prompt_token_count: 1000, generation_token_count: 100, stop_reason: 'stop' }),
  watsonx: plain({ input_token_count: 1000, generated_token_count: 100 }),
  Mistral: cached({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_audio_seconds: 12,
    num_cached_tokens: 400,
    prompt_token_details: { cached_tokens: 400 },
  }),
  Cohere: cached({
    billed_units: { input_tokens: 1000, output_tokens: 100, search_units: 3, classifications: 2 },
    tokens: { input_tokens: 1066, output_tokens: 103 },
    cached_tokens: 400,
  }),
  'Cohere’s first version': plain({
    meta: {
      api_version: { version: '1' },
      billed_units: { input_tokens: 1000, output_tokens: 100 },
      tokens: { input_tokens: 1066, output_tokens: 103 },
    },
  }),
  DeepSeek: cached({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 64 },
    prompt_cache_hit_tokens: 400,
    prompt_cache_miss_tokens: 600,
  }),
  Groq: plain({
    x_groq: { id: 'req_1', usage: { queue_time: 5, prompt_tokens: 1000, prompt_time: 1, completion_tokens: 100, total_tokens: 1100 } },
  }),
  xAI: {
    ...cached({
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1300,
      prompt_tokens_details: { text_tokens: 1000, audio_tokens: 0, image_tokens: 0, cached_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 200, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
      num_sources_used: 4,
      cost_in_usd_ticks: 37_756_000,
    }),
    total: 1300,
    bill: usd([600, 1.25], [400, 0.125], [300, 10]),
  },
  Perplexity: plain(
    {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      search_context_size: 'low',
      citation_tokens: 19_028,
      num_search_queries: 18,
      cost: { input_tokens_cost: 0.001, output_tokens_cost: 0.002, request_cost: 0.006, total_cost: 0.009 },
    },
    0.009,
  ),
  OpenRouter: plain(
    {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      cost: 0.0145,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
      cost_details: { ...routed, upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: 64, image_tokens: 0, audio_tokens: 0 },
    },
    0.0145,
  ),
  'OpenRouter, with the user’s own key': plain(
    { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, cost: 0.0006, is_byok: true, cost_details: routed },
    0.0006,
  ),
  'OpenRouter, where it charges nothing itself': plain({ prompt_tokens: 1000, completion_tokens: 100, cost_details: routed }, 0.0123),
  'LiteLLM in front of Anthropic': {
    ...sonnet,
    usage: {
      prompt_tokens: 5020,
      completion_tokens: 100,
      total_tokens: 5120,
      prompt_tokens_details: {
        cached_tokens: 3000,
        text_tokens: 20,
        cache_creation_tokens: 2000,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 1500, ephemeral_1h_input_tokens: 500 },
      },
      cache_creation_input_tokens: 2000,
      cache_read_input_tokens: 3000,
    },
    bill: byLifetime,
  },
  LangChain: {
    ...sonnet,
    usage: {
      input_tokens: 5020,
      output_tokens: 100,
      total_tokens: 5120,
      input_token_details: { cache_creation: 0, cache_read: 3000, ephemeral_5m_input_tokens: 1500, ephemeral_1h_input_tokens: 500 },
    },
    bill: byLifetime,
  },
  'LangChain, in the names of a tier': cached({
    input_tokens: 1000,
    output_tokens: 100,
    total_tokens: 1100,
    input_token_details: { audio: 0, flex_cache_read: 400, flex: 600 },
    output_token_details: { flex_reasoning: 64, flex: 36 },
  }),
  Ollama: plain({ prompt_eval_count: 1000, eval_count: 100, total_duration: 500_000, load_duration: 3, eval_duration: 5 }),
  vLLM: plain({ prompt_tokens: 1000, total_tokens: 1100, completion_tokens: 100, prompt_tokens_details: null }),
  Qwen: cached({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_tokens_details: {
      text_tokens: 300,
      image_tokens: 700,
      cached_tokens: 400,
      cache_creation: { ephemeral_5m_input_tokens: 0 },
      cache_type: 'ephemeral',
    },
    completion_tokens_details: { text_tokens: 36, reasoning_tokens: 64 },
  }),
  'the images that Qwen has seen': {
    model: 'gpt-image-1',
    usage: { input_tokens: 1271, output_tokens: 55, image_tokens: 1247, video_tokens: 0 },
    total: 1326,
    bill: usd([24, 5], [1247, 10], [55, 40]),
  },
  Moonshot: cached({ prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, cached_tokens: 400 }),
  CrewAI: cached({ total_tokens: 1100, prompt_tokens: 1000, cached_prompt_tokens: 400, completion_tokens: 100, successful_requests: 3 }),
  Agno: cached({
    input_tokens: 1000,
    output_tokens: 100,
    audio_input_tokens: 0,
    audio_total_tokens: 50,
    cache_read_tokens: 400,
    reasoning_tokens: 64,
  }),
}

const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null

type Scalar = string | number | boolean

const flat = (report: Report, prefix: string): Values =>
  Object.fromEntries(
    Object.entries(report).flatMap(([name, value]): [string, Scalar][] =>
      isReport(value)
        ? Object.entries(flat(value, `${prefix}${name}.`)).map(([key, inner]) => [key, String(inner)])
        : value === null
          ? []
          : [[prefix + name, String(value)]],
    ),
  )

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(inner => renamed(inner, rename))
  if (!isReport(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]))
}
const reportOf = (value: unknown): Report => (isReport(value) ? value : {})
const camel = (report: Report) => reportOf(renamed(report, name => name.replace(/_([a-z\d])/g, (_, first: string) => first.toUpperCase())))
const snake = (report: Report) => reportOf(renamed(report, name => name.replace(/[A-Z]/g, first => `_${first.toLowerCase()}`)))

export const placesOfUsage: Readonly<Record<string, (report: Report) => Values>> = {
  'gen_ai.usage.*': report => flat(report, 'gen_ai.usage.'),
  'gen_ai.usage.*, in camel case': report => flat(camel(report), 'gen_ai.usage.'),
  'gen_ai.usage.*, in snake case': report => flat(snake(report), 'gen_ai.usage.'),
  'gen_ai.usage.details.*': report => flat(report, 'gen_ai.usage.details.'),
  'gen_ai.usage as JSON': report => ({ 'gen_ai.usage': json(report) }),
  'gen_ai.usage.details as JSON': report => ({ 'gen_ai.usage.details': json(report) }),
  'members as JSON': report =>
    Object.fromEntries(
      Object.entries(report).map(([name, value]) => [`gen_ai.usage.${name}`, isReport(value) ? json(value) : String(value)]),
    ),
  'llm.usage.*': report => flat(report, 'llm.usage.'),
  'llm.usage as JSON': report => ({ 'llm.usage': json(report) }),
  'llm.token_count.*': report => flat(report, 'llm.token_count.'),
}
