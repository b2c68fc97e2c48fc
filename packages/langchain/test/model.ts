// A stub of a chat model. The stub reports the same data as a real model.
import type { BaseChatModelParams } from '@langchain/core/language_models/chat_models'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

interface Params extends BaseChatModelParams {
  readonly reply?: AIMessage
  readonly error?: unknown
  readonly invocation?: Readonly<Record<string, unknown>>
}

const usage = {
  input_tokens: 20,
  output_tokens: 10,
  total_tokens: 30,
  input_token_details: { cache_read: 16 },
  output_token_details: { reasoning: 8 },
}
export const usageByKind = { input: 4, input_cache_read: 16, output: 2, output_reasoning: 8, total: 30 }

const named = { model_name: 'gpt-test-2026' }

export const answer = (content: string, more: object = {}): AIMessage =>
  Object.assign(new AIMessage({ content, response_metadata: named, ...more }), { usage_metadata: usage })

export class TestModel extends BaseChatModel {
  private readonly params: Params

  constructor(params: Params = {}) {
    super(params)
    this.params = params
  }

  static override lc_name(): string {
    return 'TestModel'
  }

  override _llmType(): string {
    return 'test'
  }

  override invocationParams(): Record<string, unknown> {
    return { model: 'gpt-test', ...this.params.invocation }
  }

  override async _generate(): Promise<ChatResult> {
    if (this.params.error) throw this.params.error
    const message = this.params.reply ?? answer('Hi!')
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: unknown,
    run?: { handleLLMNewToken(token: string): Promise<void> },
  ) {
    for (const text of ['Hel', 'lo']) {
      await run?.handleLLMNewToken(text)
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) })
    }
    const last = Object.assign(new AIMessageChunk({ content: '', response_metadata: named }), { usage_metadata: usage })
    yield new ChatGenerationChunk({ text: '', message: last })
  }
}
