import type { CatalogModel } from './snapshot.ts'

export type Encoding = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'r50k_base'

export interface Tokenizer {
  readonly encoding: Encoding
  /** Tokens that a chat message costs in addition to the tokens of its texts. Null for models without chat. */
  readonly chat: { readonly tokensPerMessage: number; readonly tokensPerName: number } | null
}

const chatModels: Readonly<Record<string, Encoding>> = {
  'gpt-3.5-turbo': 'cl100k_base',
  'gpt-3.5-turbo-0125': 'cl100k_base',
  'gpt-3.5-turbo-0301': 'cl100k_base',
  'gpt-3.5-turbo-0613': 'cl100k_base',
  'gpt-3.5-turbo-1106': 'cl100k_base',
  'gpt-3.5-turbo-16k': 'cl100k_base',
  'gpt-3.5-turbo-16k-0613': 'cl100k_base',
  'gpt-4': 'cl100k_base',
  'gpt-4-0125-preview': 'cl100k_base',
  'gpt-4-0314': 'cl100k_base',
  'gpt-4-0613': 'cl100k_base',
  'gpt-4-1106-preview': 'cl100k_base',
  'gpt-4-32k': 'cl100k_base',
  'gpt-4-32k-0314': 'cl100k_base',
  'gpt-4-32k-0613': 'cl100k_base',
  'gpt-4-turbo': 'cl100k_base',
  'gpt-4-turbo-preview': 'cl100k_base',
  'gpt-4-vision-preview': 'cl100k_base',
  'gpt-4.1': 'o200k_base',
  'gpt-4.1-mini': 'o200k_base',
  'gpt-4.1-nano': 'o200k_base',
  'gpt-4.5-preview': 'o200k_base',
  'gpt-4o': 'o200k_base',
  'gpt-4o-mini': 'o200k_base',
  'chatgpt-4o-latest': 'o200k_base',
  'gpt-5': 'o200k_base',
  'gpt-5-mini': 'o200k_base',
  'gpt-5-nano': 'o200k_base',
  o1: 'o200k_base',
  'o1-mini': 'o200k_base',
  'o1-preview': 'o200k_base',
  'o1-pro': 'o200k_base',
  o3: 'o200k_base',
  'o3-mini': 'o200k_base',
  'o3-pro': 'o200k_base',
  'o4-mini': 'o200k_base',
}

const textModels: Readonly<Record<string, Encoding>> = {
  'gpt-3.5-turbo-instruct': 'cl100k_base',
  'gpt-3.5-turbo-instruct-0914': 'cl100k_base',
  'text-embedding-3-large': 'cl100k_base',
  'text-embedding-3-small': 'cl100k_base',
  'text-embedding-ada-002': 'cl100k_base',
  'babbage-002': 'cl100k_base',
  'davinci-002': 'cl100k_base',
  'code-cushman-001': 'p50k_base',
  'code-cushman-002': 'p50k_base',
  'code-davinci-001': 'p50k_base',
  'code-davinci-002': 'p50k_base',
  'cushman-codex': 'p50k_base',
  'davinci-codex': 'p50k_base',
  'text-davinci-002': 'p50k_base',
  'text-davinci-003': 'p50k_base',
  ada: 'r50k_base',
  babbage: 'r50k_base',
  curie: 'r50k_base',
  davinci: 'r50k_base',
  'text-ada-001': 'r50k_base',
  'text-babbage-001': 'r50k_base',
  'text-curie-001': 'r50k_base',
  'text-davinci-001': 'r50k_base',
}

/** Anthropic publishes no tokenizer, so the most similar public tokenizer gives an estimate. */
const claude: Tokenizer = { encoding: 'o200k_base', chat: null }

const lookUp = (table: Readonly<Record<string, Encoding>>, name: string) => (Object.hasOwn(table, name) ? table[name] : undefined)

const count = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0)

/** Returns null for an unknown tokenizer, because a missing count is better than a wrong one. */
export function tokenizerOf({ tokenizerId, tokenizerConfig }: Pick<CatalogModel, 'tokenizerId' | 'tokenizerConfig'>): Tokenizer | null {
  if (tokenizerId === 'claude') return claude
  if (tokenizerId !== 'openai' || typeof tokenizerConfig !== 'object' || tokenizerConfig === null) return null
  const { tokenizerModel, tokensPerMessage, tokensPerName } = tokenizerConfig as Record<string, unknown>
  if (typeof tokenizerModel !== 'string') return null
  const name = tokenizerModel.replace(/-\d{4}-\d{2}-\d{2}$/, '')
  const chat = lookUp(chatModels, name)
  if (chat !== undefined)
    return { encoding: chat, chat: { tokensPerMessage: count(tokensPerMessage), tokensPerName: count(tokensPerName) } }
  const text = lookUp(textModels, name)
  return text === undefined ? null : { encoding: text, chat: null }
}
