// A prompt of messages, with placeholders for lists of messages.
import type { ChatMessage, ChatPrompt, Prompt } from '@svc/core'
import type { Anything } from '../anything.ts'
import { toLangchain } from './langchain.ts'
import { PromptClient } from './prompt-client.ts'
import { render, type Variables } from './render.ts'
import { type ChatMessageOrPlaceholder, ChatMessageType, type ChatPromptItem, itemOf } from './types.ts'

/** Values for placeholders, by name. */
export type Placeholders = Readonly<Record<string, unknown>>

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === 'object' && value !== null && 'role' in value && 'content' in value

/**
 * Returns the messages that replace a placeholder. A value that is not a list of messages becomes one JSON text. Without a value, returns
 * undefined.
 */
function inserted(value: unknown): readonly (ChatMessage | string)[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every(isMessage)) return value
  return [JSON.stringify(value)]
}

const withContent = <M extends ChatMessage>(message: M, change: (text: string) => string): M =>
  typeof message.content === 'string' ? { ...message, content: change(message.content) } : message

export class ChatPromptClient extends PromptClient {
  readonly type = 'chat' as const
  readonly prompt: ChatPromptItem[]
  readonly promptResponse: Extract<Prompt, { type: 'chat' }>

  constructor(prompt: ChatPrompt, isFallback = false) {
    super(prompt, isFallback)
    this.prompt = prompt.prompt.map(itemOf)
    this.promptResponse = { ...prompt, prompt: this.prompt, type: 'chat' }
  }

  /** Returns the messages with variables and placeholders replaced. A placeholder without a value stays in the list. */
  compile(variables?: Variables, placeholders: Placeholders = {}): (ChatMessageOrPlaceholder | Anything)[] {
    return this.items(
      placeholders,
      text => render(text, variables),
      placeholder => placeholder,
    )
  }

  /** Returns the messages in the form of LangChain's chat templates. */
  getLangchainPrompt(options: { readonly placeholders?: Placeholders | undefined } = {}): (ChatMessage | [string, string] | Anything)[] {
    return this.items(options.placeholders ?? {}, toLangchain, ({ name }) => ['placeholder', `{${name}}`])
  }

  toJSON(): string {
    const messages = this.prompt.map(item => (item.type === ChatMessageType.Placeholder ? item : withoutType(item)))
    return this.json(this.type, messages)
  }

  private items(
    placeholders: Placeholders,
    change: (text: string) => string,
    unresolved: (placeholder: Extract<ChatPromptItem, { type: 'placeholder' }>) => unknown,
  ): Anything[] {
    return this.prompt.flatMap((item): unknown[] => {
      if (item.type !== ChatMessageType.Placeholder) return [withContent(withoutType(item), change)]
      const found = inserted(placeholders[item.name])
      if (found === undefined) return [unresolved(item)]
      return found.map(each => (typeof each === 'string' ? each : withContent(each, change)))
    })
  }
}

function withoutType({ type: _, ...message }: Extract<ChatPromptItem, { type: 'chatmessage' }>): ChatMessage {
  return message
}
