// Interprets a usage name, such as `cachedInputTokens`, by its words. Every instrumentation spells the same few concepts differently, so a
// list of spellings would never be complete. A name with an unknown word is ignored.
import { cellOf, modalities } from './usage-cells.ts'

export interface UsageName {
  /** A `setting` is a limit, a budget or a ratio. `other` is a name with an unknown meaning. */
  readonly kind: 'count' | 'money' | 'setting' | 'other'
  /** Position in `usageCells`, or -1. */
  readonly cell: number
  /** True if the name contains the word `detail`, `details` or `experimental`. */
  readonly isDetail: boolean
  /** True for the money that a router paid to the provider. The router charges its own customer a different amount. */
  readonly isUpstream: boolean
  /** True for billed tokens, which can differ from the tokens that the model read or wrote. */
  readonly isBilled: boolean
}

type Word =
  | 'input'
  | 'output'
  | 'total'
  | 'response'
  | 'generated'
  | 'cache'
  | 'read'
  | 'hit'
  | 'write'
  | 'ephemeral'
  | '5m'
  | '1h'
  | 'uncached'
  | 'missed'
  | 'not'
  | 'reasoning'
  | (typeof modalities)[number]
  | 'prediction'
  | 'accepted'
  | 'rejected'
  | 'tool'
  | 'use'
  | 'content'
  | 'detail'
  | 'token'
  | 'number'
  | 'evaluated'
  | 'noise'
  | 'tier'
  | 'setting'
  | 'unit'
  | 'money'
  | 'spending'
  | 'billed'
  | 'upstream'
  | 'ofMoney'
  | 'foreign'

const spellings: Readonly<Record<Word, string>> = {
  input: 'input prompt',
  output: 'output completion completions candidate candidates',
  total: 'total',
  // In the name of a cost, `response` stands for the whole call with its input.
  response: 'response',
  generated: 'generated generation',
  cache: 'cache cached caching',
  read: 'read reads',
  hit: 'hit hits',
  write: 'write writes written creation created store stored',
  ephemeral: 'ephemeral',
  '5m': '5m 5min 5minutes',
  '1h': '1h 1hr 1hour',
  uncached: 'uncached nocache noncached',
  missed: 'miss misses',
  not: 'no non not without',
  reasoning: 'reasoning thoughts thought thinking',
  text: 'text',
  audio: 'audio',
  image: 'image',
  video: 'video',
  document: 'document',
  prediction: 'prediction predicted',
  accepted: 'accepted',
  rejected: 'rejected',
  tool: 'tool',
  use: 'use',
  content: 'content',
  detail: 'detail details experimental',
  token: 'token tokens',
  number: 'count counts n num number of from',
  // Ollama's `prompt_eval_count` and `eval_count`.
  evaluated: 'eval',
  // These words have no effect. They name, for example, the provider or router that counted.
  noise:
    'usage metadata meta provider openai anthropic claude google gemini vertex amazon aws bedrock azure mistral cohere xai groq deepseek openrouter litellm invocation metrics',
  // LangChain prefixes counts with the tier that served the call: `flex_cache_read`.
  tier: 'flex priority',
  setting:
    'limit limits max maximum min minimum budget budgets remaining ratio percent percentage pct rate rates per quota capacity threshold fraction share window',
  unit: 'unit units',
  money: 'cost costs price prices amount usd dollar dollars',
  // A name with one of these words is an amount of money. But if the name contains `token` and none of the words in the list `money`, the
  // name is ignored.
  spending: 'spend spent charge charged',
  // A name with one of these words and with `token` or `unit` is a billed count, unless it also contains a word of the list `money`. Any
  // other name with one of these words is an amount of money.
  billed: 'billed billable',
  // Marks the amount that a router (a service between client and provider) paid to the provider.
  upstream: 'upstream',
  // A name with one of these words can be the name of an amount of money, for example `cost_in_usd` or `estimated_cost`. It is never the
  // name of a count: `estimated_tokens` is ignored.
  ofMoney: 'in estimated estimate billing value inference',
  // A name with one of these words is neither a cost in USD nor a count.
  foreign: 'currency cents eur euro gbp jpy cny inr chf krw credits',
}

const vocabulary: ReadonlyMap<string, Word> = new Map(
  Object.entries(spellings).flatMap(([word, all]) => all.split(' ').map(spelling => [spelling, word as Word] as const)),
)

/** Splits names such as `cachedInputTokens`, `ephemeral5mInputTokens` and `cache_read.input-tokens` into lowercase words. */
const wordsIn = (name: string): readonly string[] =>
  name
    .replace(/\bx_?groq\b/i, 'groq')
    .replace(/(\p{L})(\d)/gu, '$1 $2')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')

const nothing: UsageName = { kind: 'other', cell: -1, isDetail: false, isUpstream: false, isBilled: false }
const longestName = 200

export function readUsageName(name: string): UsageName {
  if (name.length > longestName) return nothing
  const words = new Set<Word>()
  let unknown = false
  for (const spelled of wordsIn(name)) {
    const word = vocabulary.get(spelled)
    if (word === undefined) unknown = true
    else words.add(word)
  }
  const isUpstream = words.delete('upstream')
  const isDetail = words.has('detail')
  const isBilled = words.delete('billed')
  const isOfUnits = words.delete('unit')
  // Cohere's `billed_units` are tokens or searches, never money.
  if (words.has('setting') || (isOfUnits && !isBilled)) return { ...nothing, kind: 'setting', isDetail }
  if (words.has('foreign')) return nothing
  const isOfMoney = words.delete('ofMoney')
  const isSpending = words.delete('spending')
  if (words.delete('money') || ((isSpending || (isBilled && !isOfUnits)) && !words.has('token')))
    return { ...nothing, kind: 'money', cell: unknown ? -1 : moneyCell(words), isDetail, isUpstream }
  const cell = unknown || isSpending || isOfMoney || isUpstream ? -1 : cellIn(words, false)
  // A total of billed units is ignored, because it can differ from the sum of the other counts.
  if (cell < 0 || (isBilled && cell === cellOf('total'))) return nothing
  return { ...nothing, kind: 'count', cell, isDetail, isBilled }
}

/**
 * Returns the cell to which a cost belongs: `input`, `output`, or the cell of a part. If the name refers to neither the input, the output
 * nor a part, returns the cell `total`; `total_cost` is such a name. Returns -1 for an unknown name.
 */
function moneyCell(words: Set<Word>): number {
  words.delete('response')
  words.delete('generated')
  return cellIn(words, true)
}

const onlyOfCache: readonly Word[] = ['read', 'hit', 'write', '5m', '1h', 'not', 'missed']

function cellIn(words: ReadonlySet<Word>, isMoney: boolean): number {
  const has = (word: Word) => words.has(word)
  const isInput = has('input')
  const isOutput = has('output') || has('response') || (has('generated') && has('token'))
  if (isInput && isOutput) return -1
  if (has('evaluated')) return evaluatedCell(words)
  // A name with a word such as `count`, but without `token`, is not the name of a token count. The number under such a name counts, for
  // example, candidates, images or uses.
  if (has('number') && !has('token')) return -1
  const ofModality = modalities.filter(has)
  if (ofModality.length > 1) return -1
  const modality = ofModality[0]
  const isOfCache = has('cache') || has('ephemeral') || has('uncached')
  const isPrediction = has('prediction') || has('accepted') || has('rejected')
  const parts = [isOfCache, has('reasoning'), isPrediction, has('tool')].filter(Boolean).length
  if (parts > 1) return -1
  if (has('use') && !has('tool')) return -1
  if (has('content') && !isOfCache) return -1
  if (isOfCache) return isOutput ? -1 : cacheCell(words, modality)
  if (onlyOfCache.some(has)) return -1
  if (has('reasoning')) return isInput || modality !== undefined ? -1 : cellOf('output_reasoning_tokens')
  if (isPrediction) return isInput || modality !== undefined ? -1 : predictionCell(words)
  if (has('tool')) return isOutput || !(isInput || has('token') || isMoney) ? -1 : cellOf('input_tool_tokens')
  if (modality !== undefined) {
    // A total of one modality includes input and output. No cell stands for such a total.
    if (!isInput && !isOutput && has('total')) return -1
    return modalityCell(modality, isInput || (!isOutput && !isMoney && has('token') && onlySeen.includes(modality)), isOutput)
  }
  if (isInput) return cellOf('input')
  if (isOutput) return cellOf('output')
  return has('total') || (has('token') && !has('tier')) || isMoney ? cellOf('total') : -1
}

const ofEvaluated: readonly Word[] = ['evaluated', 'number', 'input', 'noise', 'detail']

function evaluatedCell(words: ReadonlySet<Word>): number {
  if (!words.has('number') || [...words].some(word => !ofEvaluated.includes(word))) return -1
  return cellOf(words.has('input') ? 'input' : 'output')
}

function cacheCell(words: ReadonlySet<Word>, modality: string | undefined): number {
  const isWrite = words.has('write') || words.has('ephemeral') || words.has('5m') || words.has('1h')
  // Without the word `token`, the value is a number of cache hits or misses, not of tokens.
  if ((words.has('hit') || words.has('missed')) && !words.has('token')) return -1
  const isUncached = words.has('uncached') || words.has('missed') || words.has('not')
  if (isUncached) return isWrite || words.has('read') || words.has('hit') || modality !== undefined ? -1 : cellOf('input_uncached')
  if (!isWrite) return cellOf(modality === undefined ? 'input_cached_tokens' : `input_cached_${modality}_tokens`)
  if (words.has('read') || modality !== undefined || (words.has('5m') && words.has('1h'))) return -1
  return cellOf(words.has('5m') ? 'input_cache_creation_5m' : words.has('1h') ? 'input_cache_creation_1h' : 'input_cache_creation')
}

function predictionCell(words: ReadonlySet<Word>): number {
  if (words.has('accepted') === words.has('rejected')) return -1
  return cellOf(words.has('accepted') ? 'output_accepted_prediction_tokens' : 'output_rejected_prediction_tokens')
}

/** Nearly every model reads these modalities but does not create them. Qwen's `image_tokens`, for example, are therefore input tokens. */
const onlySeen: readonly string[] = ['image', 'video', 'document']

/**
 * Some names state neither input nor output. Under such a name, a count of audio belongs to the output, as in OpenAI's details. A token
 * count of a modality in `onlySeen` belongs to the input: the caller sets `isInput`. Other counts of a modality have no known meaning.
 */
function modalityCell(modality: string, isInput: boolean, isOutput: boolean): number {
  if (isInput) return cellOf(`input_${modality}_tokens`)
  return isOutput || modality === 'audio' ? cellOf(`output_${modality}_tokens`) : -1
}
