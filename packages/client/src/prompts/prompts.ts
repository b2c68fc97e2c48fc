// `client.prompt` creates prompts, and gets prompts by name, from the server or from the cache.
import {
  type ChatMessage,
  type CreateChatPromptRequest,
  type CreateTextPromptRequest,
  getGlobalLogger,
  NotFoundError,
  type Prompt,
  type SvcAPIClient,
} from '@svc/core'
import { type CachedVariants, isExpired, PromptCache, store, variantOf } from './cache.ts'
import { ChatPromptClient } from './chat-prompt.ts'
import { TextPromptClient } from './text-prompt.ts'
import { type ChatMessageOrPlaceholder, type CreateChatPromptBodyWithPlaceholders, itemOf } from './types.ts'

interface GetOptions {
  readonly version?: number | undefined
  /** Label of the prompt; without a label or version, the server uses `production`. */
  readonly label?: string | undefined
  /** Seconds for which the prompt stays in the cache (default 60). With 0, each call reads the prompt from the server. */
  readonly cacheTtlSeconds?: number | undefined
  /** Number of retries (default 2). */
  readonly maxRetries?: number | undefined
  /** Time limit of each attempt; by default, the client's limit. */
  readonly fetchTimeoutMs?: number | undefined
}

export interface GetTextPromptOptions extends GetOptions {
  readonly type?: 'text' | undefined
  /** The fallback is used if the prompt cannot be read and is not in the cache. */
  readonly fallback?: string | undefined
}

export interface GetChatPromptOptions extends GetOptions {
  readonly type: 'chat'
  readonly fallback?: readonly (ChatMessage | ChatMessageOrPlaceholder)[] | undefined
}

type AnyOptions = GetTextPromptOptions | GetChatPromptOptions
type AnyPrompt = TextPromptClient | ChatPromptClient

const clientOf = (prompt: Prompt): AnyPrompt => (prompt.type === 'chat' ? new ChatPromptClient(prompt) : new TextPromptClient(prompt))

/** An empty text is not used as a fallback. */
function fallbackOf(name: string, options: AnyOptions): AnyPrompt | undefined {
  if (!options.fallback) return undefined
  const { version = 0, label } = options
  const base = { name, version, labels: label === undefined ? [] : [label], tags: [], config: {} }
  return options.type === 'chat'
    ? new ChatPromptClient({ ...base, prompt: options.fallback.map(itemOf) }, true)
    : new TextPromptClient({ ...base, prompt: options.fallback }, true)
}

export interface PromptManagerParams {
  readonly apiClient: SvcAPIClient
  /** Time limit of each call; by default, the time limit of the API client. */
  readonly timeoutInSeconds?: number | undefined
}

export class PromptManager {
  private readonly api: SvcAPIClient
  private readonly timeoutInSeconds: number | undefined
  private readonly cache = new PromptCache<AnyPrompt>()
  private readonly refreshing = new WeakSet<object>()

  constructor({ apiClient, timeoutInSeconds }: PromptManagerParams) {
    this.api = apiClient
    this.timeoutInSeconds = timeoutInSeconds
  }

  /**
   * Returns the prompt with this version or label. A cached prompt is used until it expires. An expired prompt is returned while it is
   * being reloaded. If an expired prompt was deleted on the server, the reload removes it from the cache. Rejects if the prompt cannot be
   * read and has neither a cached version nor a fallback.
   */
  get(name: string, options: GetChatPromptOptions): Promise<ChatPromptClient>
  get(name: string, options?: GetTextPromptOptions): Promise<TextPromptClient>
  get(name: string, options?: GetTextPromptOptions | GetChatPromptOptions): Promise<TextPromptClient | ChatPromptClient>
  async get(name: string, options: AnyOptions = {}): Promise<AnyPrompt> {
    const [variants, variant] = [this.cache.variants(name), variantOf(options)]
    const entry = variants.get(variant)
    if (entry === undefined || options.cacheTtlSeconds === 0) return this.fetchOrFallback(name, options, variants)
    if (isExpired(entry) && !this.refreshing.has(entry)) void this.refresh(name, options, variants, entry)
    return entry.value
  }

  /** Creates a prompt, or a new version of an existing prompt. */
  create(body: CreateChatPromptBodyWithPlaceholders | CreateChatPromptRequest): Promise<ChatPromptClient>
  create(body: Omit<CreateTextPromptRequest, 'type'> & { readonly type?: 'text' | undefined }): Promise<TextPromptClient>
  async create(
    body:
      | CreateChatPromptBodyWithPlaceholders
      | CreateChatPromptRequest
      | (Omit<CreateTextPromptRequest, 'type'> & { readonly type?: 'text' | undefined }),
  ): Promise<AnyPrompt> {
    const request = body.type === 'chat' ? { ...body, prompt: body.prompt.map(itemOf) } : { ...body, type: 'text' as const }
    return clientOf(await this.api.prompts.create(request, this.requestOptions()))
  }

  /** Moves labels to a version. */
  async update(change: { readonly name: string; readonly version: number; readonly newLabels: string[] }): Promise<Prompt> {
    const { name, version, newLabels } = change
    const prompt = await this.api.promptVersion.update(name, version, { newLabels }, this.requestOptions())
    this.cache.invalidate(name)
    return prompt
  }

  /** Deletes the given version, the version with the given label, or all versions if neither is given. */
  async delete(name: string, options: { readonly version?: number | undefined; readonly label?: string | undefined } = {}): Promise<void> {
    await this.api.prompts.delete(name, { version: options.version, label: options.label }, this.requestOptions())
    this.cache.invalidate(name)
  }

  private requestOptions(options: GetOptions = {}): { timeoutInSeconds?: number; maxRetries?: number } {
    const { fetchTimeoutMs, maxRetries } = options
    const timeoutInSeconds = fetchTimeoutMs ? fetchTimeoutMs / 1000 : this.timeoutInSeconds
    return { ...(timeoutInSeconds !== undefined && { timeoutInSeconds }), ...(maxRetries !== undefined && { maxRetries }) }
  }

  private async fetch(name: string, options: AnyOptions, variants: CachedVariants<AnyPrompt>): Promise<AnyPrompt> {
    const request = { version: options.version, label: options.label }
    const prompt = clientOf(await this.api.prompts.get(name, request, this.requestOptions(options)))
    store(variants, variantOf(options), prompt, options.cacheTtlSeconds)
    return prompt
  }

  private async fetchOrFallback(name: string, options: AnyOptions, variants: CachedVariants<AnyPrompt>): Promise<AnyPrompt> {
    try {
      return await this.fetch(name, options, variants)
    } catch (error) {
      const fallback = fallbackOf(name, options)
      getGlobalLogger().error(`Prompt '${name}' cannot be read${fallback ? '; its fallback is used' : ''}.`, error)
      if (fallback === undefined) throw error
      return fallback
    }
  }

  private async refresh(name: string, options: AnyOptions, variants: CachedVariants<AnyPrompt>, entry: object): Promise<void> {
    this.refreshing.add(entry)
    try {
      await this.fetch(name, options, variants)
    } catch (error) {
      const isDeleted = error instanceof NotFoundError
      if (isDeleted && variants.get(variantOf(options)) === entry) variants.delete(variantOf(options))
      const consequence = isDeleted ? 'it no longer exists' : 'the previously read prompt is still used'
      getGlobalLogger().warn(`Prompt '${name}' cannot be refreshed; ${consequence}.`, error)
    } finally {
      this.refreshing.delete(entry)
    }
  }
}
