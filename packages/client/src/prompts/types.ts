// Types of chat prompts.
import type { ChatMessage, ChatMessageWithPlaceholders, CreateChatPromptRequest, PlaceholderMessage } from '@svc/core'

/** Types of the items of a chat prompt. */
export const ChatMessageType = { ChatMessage: 'chatmessage', Placeholder: 'placeholder' } as const
export type ChatMessageType = (typeof ChatMessageType)[keyof typeof ChatMessageType]

type TypedMessage = Omit<ChatMessage, 'type'> & { type: typeof ChatMessageType.ChatMessage }
type Placeholder = Omit<PlaceholderMessage, 'type'> & { type: typeof ChatMessageType.Placeholder }

/** An item of a loaded chat prompt. */
export type ChatPromptItem = TypedMessage | Placeholder

/** A message, or a placeholder for which the caller passed no messages. */
export type ChatMessageOrPlaceholder = ChatMessage | Placeholder

/** The form of a message placeholder in LangChain's templates. */
export interface LangchainMessagesPlaceholder {
  variableName: string
  optional?: boolean | undefined
}

/** Body of a chat prompt as an application writes it. The messages need no type. */
export type CreateChatPromptBodyWithPlaceholders = Omit<CreateChatPromptRequest, 'type' | 'prompt'> & {
  type: 'chat'
  prompt: (ChatMessage | ChatMessageWithPlaceholders)[]
}

/** Servers that do not support placeholders send messages without a type. */
export function itemOf(item: ChatMessageWithPlaceholders): ChatPromptItem {
  if (item.type === ChatMessageType.Placeholder) return { type: ChatMessageType.Placeholder, name: (item as PlaceholderMessage).name }
  const { type: _, ...message } = item as ChatMessage
  return { ...message, type: ChatMessageType.ChatMessage }
}
