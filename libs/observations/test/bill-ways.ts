// Lists how SDKs and instrumentations report the usage of a call to a provider. The list also has the provider's prices in USD per million
// tokens.
import type { Facts, Values } from './tables/explained.ts'

const json = JSON.stringify

/** Token counts of a call. The provider has a separate price for each field. */
export interface Call {
  readonly input: number
  readonly output: number
  readonly read?: number
  readonly written?: number
  readonly written1h?: number
  readonly reasoning?: number
  readonly heard?: number
  /** `seen` counts the image tokens that the model received. `drawn` counts the image tokens that the model created. */
  readonly seen?: number
  readonly drawn?: number
}
export type Prices = Readonly<Partial<Record<keyof Call, number>>>

export const sonnet = {
  model: 'claude-sonnet-4-5',
  prices: { input: 3, output: 15, read: 0.3, written: 3.75, written1h: 6, reasoning: 15, heard: 3 },
}
export const pro = {
  model: 'gemini-2.5-pro',
  prices: { input: 1.25, output: 10, read: 0.125, written: 1.25, written1h: 1.25, reasoning: 10, heard: 1.25 },
}
export const flash = {
  model: 'gemini-2.5-flash',
  prices: { input: 0.3, output: 2.5, read: 0.03, written: 0.3, written1h: 0.3, reasoning: 2.5, heard: 1 },
}
export const gpt = {
  model: 'gpt-5',
  prices: { input: 1.25, output: 10, read: 0.125, written: 1.25, written1h: 1.25, reasoning: 10, heard: 1.25 },
}

export const bill = (call: Call, prices: Prices): number =>
  Object.entries(call).reduce((sum, [kind, tokens]) => sum + tokens * prices[kind as keyof Call]!, 0) / 1e6
export const tokens = (call: Call): number => Object.values(call).reduce((sum: number, count: number) => sum + count, 0)

export type Ways = Readonly<Record<string, (call: Call) => readonly [Values, Facts?]>>

/** Lists how clients report calls to Anthropic. `input` excludes the tokens that were read from the cache or written to the cache. */
export const anthropic: Ways = {
  conventions: ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.usage.input_tokens': input + read + written,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.cache_creation.input_tokens': written,
    },
  ],
  OpenInference: ({ input, output, read = 0, written = 0 }) => [
    {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': input + read + written,
      'llm.token_count.completion': output,
      'llm.token_count.total': input + read + written + output,
      'llm.token_count.prompt_details.cache_read': read,
      'llm.token_count.prompt_details.cache_write': written,
    },
  ],
  'the cache beside the input, with a total': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read_input_tokens': read,
      'gen_ai.usage.cache_write_input_tokens': written,
      'gen_ai.usage.total_tokens': input + read + written + output,
    },
  ],
  'Pydantic AI, with the provider’s own counts as details': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read + written,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.details.input_tokens': input,
      'gen_ai.usage.details.output_tokens': output,
      'gen_ai.usage.details.cache_read_input_tokens': read,
      'gen_ai.usage.details.cache_creation_input_tokens': written,
    },
    { scope: { name: 'pydantic-ai' } },
  ],
  'AI SDK 4': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.promptTokens': input,
      'ai.usage.completionTokens': output,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'ai.response.providerMetadata': json({ anthropic: { cacheReadInputTokens: read, cacheCreationInputTokens: written } }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 5': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.inputTokens': input,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + output,
      'ai.usage.cachedInputTokens': read,
      'ai.response.providerMetadata': json({
        anthropic: { usage: { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } },
      }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 6': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.usage.inputTokens': input + read + written,
      'ai.usage.inputTokenDetails.noCacheTokens': input,
      'ai.usage.inputTokenDetails.cacheReadTokens': read,
      'ai.usage.inputTokenDetails.cacheWriteTokens': written,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + read + written + output,
      'ai.response.providerMetadata': json({ anthropic: { usage: { input_tokens: input, cache_read_input_tokens: read } } }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 4 on Bedrock': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.model.provider': 'amazon-bedrock',
      'ai.usage.promptTokens': input,
      'ai.usage.completionTokens': output,
      'ai.response.providerMetadata': json({ bedrock: { usage: { cacheReadInputTokens: read, cacheWriteInputTokens: written } } }),
    },
    { scope: { name: 'ai' } },
  ],
  'AI SDK 5 on Bedrock': ({ input, output, read = 0, written = 0 }) => [
    {
      'ai.model.provider': 'amazon-bedrock',
      'ai.usage.inputTokens': input,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + output,
      'ai.usage.cachedInputTokens': read,
      'ai.response.providerMetadata': json({ bedrock: { usage: { cacheWriteInputTokens: written } } }),
    },
    { scope: { name: 'ai' } },
  ],
  'Bedrock’s Converse, as JSON below the prefix': ({ input, output, read = 0, written = 0 }) => [
    {
      'gen_ai.usage.details': json({
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + read + written + output,
        cacheReadInputTokens: read,
        cacheWriteInputTokens: written,
      }),
    },
  ],
}
export const anthropicCalls: readonly Call[] = [
  { input: 512, output: 40 },
  { input: 5000, output: 40, read: 2000, written: 1000 },
  { input: 12, output: 40, read: 20_000, written: 0 },
]

export const gemini: Ways = {
  'ADK: the answer that is kept whole': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'gcp.vertex.agent.llm_response': json({
        usage_metadata: {
          prompt_token_count: input + read + heard,
          candidates_token_count: output,
          thoughts_token_count: reasoning,
          cached_content_token_count: read,
          total_token_count: input + read + heard + output + reasoning,
          prompt_tokens_details: [
            { modality: 'TEXT', token_count: input + read },
            { modality: 'AUDIO', token_count: heard },
          ],
        },
      }),
    },
    { scope: { name: 'gcp.vertex.agent' } },
  ],
  'Pydantic AI: thoughts are output': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read + heard,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.details.text_prompt_tokens': input + read,
      'gen_ai.usage.details.audio_prompt_tokens': heard,
      'gen_ai.usage.details.thoughts_tokens': reasoning,
      'gen_ai.usage.details.text_candidates_tokens': output,
    },
  ],
  'AI SDK 5: thoughts are beside': ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'ai.usage.inputTokens': input + read + heard,
      'ai.usage.outputTokens': output,
      'ai.usage.totalTokens': input + read + heard + output + reasoning,
      'ai.usage.cachedInputTokens': read,
      'ai.usage.reasoningTokens': reasoning,
      'ai.response.providerMetadata': json({
        google: { usageMetadata: { promptTokensDetails: [{ modality: 'AUDIO', tokenCount: heard }] } },
      }),
    },
    { scope: { name: 'ai' } },
  ],
  Genkit: ({ input, output, read = 0, reasoning = 0, heard = 0 }) => [
    {
      'genkit:output': json({
        usage: {
          inputTokens: input + read + heard,
          outputTokens: output,
          thoughtsTokens: reasoning,
          cachedContentTokens: read,
          totalTokens: input + read + heard + output + reasoning,
          inputTokenDetails: { audioTokens: heard },
          inputCharacters: 4000,
        },
      }),
    },
    { scope: { name: 'genkit-tracer' } },
  ],
}
export const geminiCalls: readonly Call[] = [
  { input: 1000, output: 50 },
  { input: 1000, output: 50, reasoning: 400 },
  { input: 1000, output: 500, read: 300, reasoning: 100 },
  { input: 200, output: 500, heard: 800, read: 100 },
]

export const openAi: Ways = {
  conventions: ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.cache_read.input_tokens': read,
      'gen_ai.usage.reasoning.output_tokens': reasoning,
    },
  ],
  'the answer’s usage, flat': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'llm.usage.prompt_tokens': input + read,
      'llm.usage.completion_tokens': output + reasoning,
      'llm.usage.total_tokens': input + read + output + reasoning,
      'llm.usage.prompt_tokens_details.cached_tokens': read,
      'llm.usage.completion_tokens_details.reasoning_tokens': reasoning,
      'llm.usage.completion_tokens_details.rejected_prediction_tokens': 0,
    },
  ],
  'OpenRouter’s broadcast': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + read,
      'gen_ai.usage.input_tokens.cached': read,
      'gen_ai.usage.output_tokens': output + reasoning,
      'gen_ai.usage.output_tokens.reasoning': reasoning,
      'gen_ai.usage.input_tokens.audio': 0,
    },
  ],
  'AI SDK 6': ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'ai.usage.inputTokens': input + read,
      'ai.usage.inputTokenDetails.cacheReadTokens': read,
      'ai.usage.outputTokens': output + reasoning,
      'ai.usage.outputTokenDetails.textTokens': output,
      'ai.usage.outputTokenDetails.reasoningTokens': reasoning,
      'ai.response.providerMetadata': json({ openai: { responseId: 'r', serviceTier: 'default' } }),
    },
    { scope: { name: 'ai' } },
  ],
  MLflow: ({ input, output, read = 0, reasoning = 0 }) => [
    {
      'mlflow.chat.tokenUsage': json({
        input_tokens: input + read,
        output_tokens: output + reasoning,
        total_tokens: input + read + output + reasoning,
        cache_read_input_tokens: read,
      }),
    },
  ],
}
export const openAiCalls: readonly Call[] = [
  { input: 1000, output: 50 },
  { input: 200, output: 50, read: 800, reasoning: 640 },
]

const image = { model: 'gpt-image-1.5', prices: { input: 5, output: 10, read: 1.25, seen: 8, drawn: 32 } }
const drawing = { model: 'gemini-2.5-flash-image', prices: { input: 0.3, output: 2.5, seen: 0.3, drawn: 30 } }
export const imageModels = [image, drawing]

/** Lists how clients report an image edit. The input and the output have both text and images. */
export const images: Ways = {
  'OpenAI’s answer, flat': ({ input, output, seen = 0, drawn = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + seen,
      'gen_ai.usage.output_tokens': output + drawn,
      'gen_ai.usage.total_tokens': input + seen + output + drawn,
      'gen_ai.usage.input_tokens_details.text_tokens': input,
      'gen_ai.usage.input_tokens_details.image_tokens': seen,
      'gen_ai.usage.output_tokens_details.text_tokens': output,
      'gen_ai.usage.output_tokens_details.image_tokens': drawn,
    },
  ],
  'OpenAI’s answer as JSON': ({ input, output, seen = 0, drawn = 0 }) => [
    {
      'gen_ai.usage.details': json({
        input_tokens: input + seen,
        output_tokens: output + drawn,
        total_tokens: input + seen + output + drawn,
        input_tokens_details: { text_tokens: input, image_tokens: seen },
        output_tokens_details: { text_tokens: output, image_tokens: drawn },
      }),
    },
  ],
  'Pydantic AI': ({ input, output, seen = 0, drawn = 0 }) => [
    {
      'gen_ai.usage.input_tokens': input + seen,
      'gen_ai.usage.output_tokens': output + drawn,
      'gen_ai.usage.details.text_prompt_tokens': input,
      'gen_ai.usage.details.image_prompt_tokens': seen,
      'gen_ai.usage.details.text_candidates_tokens': output,
      'gen_ai.usage.details.image_candidates_tokens': drawn,
    },
    { scope: { name: 'pydantic-ai' } },
  ],
  'ADK: Gemini’s answer that is kept whole': ({ input, output, seen = 0, drawn = 0 }) => [
    {
      'gcp.vertex.agent.llm_response': json({
        usage_metadata: {
          prompt_token_count: input + seen,
          candidates_token_count: output + drawn,
          total_token_count: input + seen + output + drawn,
          prompt_tokens_details: [
            { modality: 'TEXT', token_count: input },
            { modality: 'IMAGE', token_count: seen },
          ],
          candidates_tokens_details: [
            { modality: 'TEXT', token_count: output },
            { modality: 'IMAGE', token_count: drawn },
          ],
        },
      }),
    },
    { scope: { name: 'gcp.vertex.agent' } },
  ],
  'AI SDK 5, with Gemini’s report': ({ input, output, seen = 0, drawn = 0 }) => [
    {
      'ai.usage.inputTokens': input + seen,
      'ai.usage.outputTokens': output + drawn,
      'ai.usage.totalTokens': input + seen + output + drawn,
      'ai.response.providerMetadata': json({
        google: {
          usageMetadata: {
            promptTokensDetails: [
              { modality: 'TEXT', tokenCount: input },
              { modality: 'IMAGE', tokenCount: seen },
            ],
            candidatesTokensDetails: [
              { modality: 'TEXT', tokenCount: output },
              { modality: 'IMAGE', tokenCount: drawn },
            ],
          },
        },
      }),
    },
    { scope: { name: 'ai' } },
  ],
}
export const imageCalls: readonly Call[] = [
  { input: 60, output: 0, drawn: 4160 },
  { input: 60, output: 25, seen: 1290, drawn: 1290 },
  { input: 300, output: 40, seen: 1290 },
]

export const servedWays: Readonly<Record<string, (tier: string) => readonly [Values, Facts?]>> = {
  conventions: tier => [{ 'gen_ai.openai.response.service_tier': tier }],
  'conventions since 1.37': tier => [{ 'openai.response.service_tier': tier }],
  'conventions, asked for another': tier => [{ 'openai.request.service_tier': 'auto', 'openai.response.service_tier': tier }],
  'AI SDK 5 and 6': tier => [
    { 'ai.response.providerMetadata': json({ openai: { responseId: 'r', serviceTier: tier } }) },
    { scope: { name: 'ai' } },
  ],
  'the answer, kept as the provider gave it': tier => [
    { 'svc.observation.output': json({ id: 'resp_1', object: 'response', service_tier: tier, output: [] }) },
  ],
  'a parameter of the model, asked for': tier => [{ 'svc.observation.model.parameters': json({ service_tier: tier }) }],
}
