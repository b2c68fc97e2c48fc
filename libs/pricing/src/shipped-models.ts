// Converts the price list of the product (model-prices.json) to catalog rows. The prices are from the providers' pages, in USD per million
// tokens.
import priceList from './model-prices.json' with { type: 'json' }
import { atScale, moneyText, parseDecimal } from './money.ts'
import type { CatalogModel, CatalogTier } from './snapshot.ts'

export type PriceKind =
  | 'input'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheWrite1h'
  | 'output'
  | 'inputAudio'
  | 'cacheReadAudio'
  | 'outputAudio'
  | 'inputImage'
  | 'cacheReadImage'
  | 'outputImage'
  | 'inputVideo'
  | 'outputVideo'

/**
 * A kind of price applies to the usage types in `usageTypes`. These are all names that clients use for the usage that has this kind of
 * price. If the provider lists no price for a kind, the price of the kind in `otherwise` applies.
 */
export const priceKinds: Readonly<Record<PriceKind, { readonly usageTypes: readonly string[]; readonly otherwise?: PriceKind }>> = {
  input: { usageTypes: ['input', 'input_tokens', 'input_text_tokens', 'prompt_token_count', 'promptTokenCount'] },
  cacheRead: {
    usageTypes: ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens', 'cached_content_token_count'],
    otherwise: 'input',
  },
  cacheWrite: {
    usageTypes: ['input_cache_creation', 'input_cache_creation_5m', 'input_cache_write', 'cache_creation_input_tokens'],
    otherwise: 'input',
  },
  cacheWrite1h: { usageTypes: ['input_cache_creation_1h'], otherwise: 'cacheWrite' },
  output: {
    usageTypes: [
      'output',
      'output_tokens',
      'output_text_tokens',
      'output_reasoning',
      'output_reasoning_tokens',
      // OpenAI bills accepted and rejected prediction tokens at the price of the output. The server subtracts both counts from the output
      // count (`disjoint-usage.ts`), so that no token is billed twice.
      'output_accepted_prediction_tokens',
      'output_rejected_prediction_tokens',
      'candidates_token_count',
      'candidatesTokenCount',
      'thoughts_token_count',
      'thoughtsTokenCount',
    ],
  },
  inputAudio: { usageTypes: ['input_audio', 'input_audio_tokens'], otherwise: 'input' },
  cacheReadAudio: { usageTypes: ['input_cached_audio_tokens'], otherwise: 'cacheRead' },
  outputAudio: { usageTypes: ['output_audio', 'output_audio_tokens'], otherwise: 'output' },
  inputImage: { usageTypes: ['input_image', 'input_image_tokens'], otherwise: 'input' },
  cacheReadImage: { usageTypes: ['input_cached_image_tokens'], otherwise: 'cacheRead' },
  outputImage: { usageTypes: ['output_image', 'output_image_tokens'], otherwise: 'output' },
  inputVideo: { usageTypes: ['input_video', 'input_video_tokens'], otherwise: 'input' },
  outputVideo: { usageTypes: ['output_video', 'output_video_tokens'], otherwise: 'output' },
}

type PricesPerMillion = Readonly<Partial<Record<PriceKind, string>>>

interface ListedTier {
  readonly name: string
  readonly inputAbove?: number
  readonly modelParameter?: { readonly key: string; readonly values: readonly string[] }
  readonly perMillion: PricesPerMillion
}

export interface ListedModel {
  readonly name: string
  readonly provider: string
  readonly matchPattern: string
  readonly tokenizer?: string
  readonly tiers: readonly ListedTier[]
}

export interface PriceList {
  readonly asOf: string
  readonly source: string
  readonly pages: readonly string[]
  readonly currency: string
  readonly models: readonly ListedModel[]
}

/** Matches all usage types that count input tokens. Cached tokens are included, because they count toward the context size. */
const inputTypes = 'input|prompt|cache'

export const shippedPriceList: PriceList = priceList

/** Returns the shipped models, which belong to no project. */
export const shippedModels = (): readonly CatalogModel[] => shippedPriceList.models.map(modelOf)

function modelOf({ name, provider, matchPattern, tokenizer, tiers }: ListedModel): CatalogModel {
  const id = `${provider}/${name}`
  return {
    id,
    projectId: null,
    modelName: name,
    matchPattern,
    startDate: null,
    ...tokenizerFields(provider, tokenizer),
    tiers: tiers.map((tier, priority) => tierOf(id, tier, priority)),
    shipped: true,
  }
}

function tokenizerFields(provider: string, tokenizer: string | undefined): Pick<CatalogModel, 'tokenizerId' | 'tokenizerConfig'> {
  if (provider === 'anthropic') return { tokenizerId: 'claude', tokenizerConfig: null }
  if (tokenizer === undefined) return { tokenizerId: null, tokenizerConfig: null }
  return { tokenizerId: 'openai', tokenizerConfig: { tokenizerModel: tokenizer, tokensPerMessage: 3, tokensPerName: 1 } }
}

/**
 * The first tier of the list is the default: it applies if the conditions of no other tier are met. The other tiers are checked in the
 * order of the list.
 */
function tierOf(modelId: string, { name, inputAbove, modelParameter, perMillion }: ListedTier, priority: number): CatalogTier {
  const conditions: unknown[] = []
  if (inputAbove !== undefined) conditions.push({ usageDetailPattern: inputTypes, operator: 'gt', value: inputAbove, caseSensitive: false })
  if (modelParameter !== undefined) conditions.push({ source: 'model_parameters', operator: 'in', ...modelParameter })
  return {
    id: `${modelId}/${name.toLowerCase().replace(/[^a-z]+/g, '-')}`,
    name,
    isDefault: priority === 0,
    priority,
    conditions,
    prices: pricesPerToken(perMillion),
  }
}

function pricesPerToken(perMillion: PricesPerMillion): Record<string, string> {
  const prices: Record<string, string> = {}
  for (const [kind, { usageTypes }] of Object.entries(priceKinds)) {
    const price = priceOf(perMillion, kind as PriceKind)
    if (price !== undefined) for (const usageType of usageTypes) prices[usageType] = price
  }
  return prices
}

/** A price per million tokens has 6 decimal places, so a price per token has 12. */
function priceOf(perMillion: PricesPerMillion, kind: PriceKind): string | undefined {
  const listed = perMillion[kind]
  const { otherwise } = priceKinds[kind]
  if (listed === undefined) return otherwise === undefined ? undefined : priceOf(perMillion, otherwise)
  const parsed = parseDecimal(listed)
  return parsed === undefined ? undefined : moneyText(atScale(parsed, 6))
}
