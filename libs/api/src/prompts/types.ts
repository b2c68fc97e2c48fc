import { z } from 'zod'
import { listOf, recordOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const ChatMessageType = z.enum(['chatmessage']).meta({ id: 'ChatMessageType' })

export const ChatMessage = z
  .object({
    role: storedText,
    content: storedText,
    type: ChatMessageType.nullish(),
  })
  .meta({ id: 'ChatMessage' })

export const PlaceholderMessageType = z.enum(['placeholder']).meta({ id: 'PlaceholderMessageType' })

export const PlaceholderMessage = z
  .object({
    name: storedText,
    type: PlaceholderMessageType.nullish(),
  })
  .meta({ id: 'PlaceholderMessage' })

export const ChatMessageWithPlaceholders = z.union([ChatMessage, PlaceholderMessage]).meta({ id: 'ChatMessageWithPlaceholders' })

export const CreateChatPromptType = z.enum(['chat']).meta({ id: 'CreateChatPromptType' })

export const CreateChatPromptRequest = z
  .object({
    name: storedText,
    prompt: listOf(ChatMessageWithPlaceholders),
    config: z.unknown().optional(),
    type: CreateChatPromptType,
    labels: listOf(storedText).nullish(),
    tags: listOf(storedText).nullish(),
    commitMessage: storedName(500).nullish(),
  })
  .meta({ id: 'CreateChatPromptRequest' })

export const CreateTextPromptType = z.enum(['text']).meta({ id: 'CreateTextPromptType' })

export const CreateTextPromptRequest = z
  .object({
    name: storedText,
    prompt: storedText,
    config: z.unknown().optional(),
    type: CreateTextPromptType.nullish(),
    labels: listOf(storedText).nullish(),
    tags: listOf(storedText).nullish(),
    commitMessage: storedName(500).nullish(),
  })
  .meta({ id: 'CreateTextPromptRequest' })

export const CreatePromptRequest = z.union([CreateChatPromptRequest, CreateTextPromptRequest]).meta({ id: 'CreatePromptRequest' })

/** `isActive` marked the production version before prompts had labels. */
const active = { isActive: z.boolean() }
export const CreateFormerPromptRequest = z
  .union([CreateChatPromptRequest.extend(active), CreateTextPromptRequest.extend(active)])
  .meta({ id: 'CreateFormerPromptRequest' })

export const Prompt = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('chat'),
      prompt: z.array(ChatMessageWithPlaceholders),
      name: z.string(),
      version: z.int(),
      config: z.unknown(),
      labels: z.array(z.string()),
      tags: z.array(z.string()),
      commitMessage: z.string().nullable(),
      resolutionGraph: recordOf(z.unknown()).nullish(),
      id: z.string(),
      projectId: z.string(),
      createdBy: z.string(),
      createdAt: responseTime,
      updatedAt: responseTime,
      isActive: z.boolean().nullish(),
    }),
    z.object({
      type: z.literal('text'),
      prompt: z.string(),
      name: z.string(),
      version: z.int(),
      config: z.unknown(),
      labels: z.array(z.string()),
      tags: z.array(z.string()),
      commitMessage: z.string().nullable(),
      resolutionGraph: recordOf(z.unknown()).nullish(),
      id: z.string(),
      projectId: z.string(),
      createdBy: z.string(),
      createdAt: responseTime,
      updatedAt: responseTime,
      isActive: z.boolean().nullish(),
    }),
  ])
  .meta({ id: 'Prompt' })

export const PromptType = z.enum(['chat', 'text']).meta({ id: 'PromptType' })

export const PromptMeta = z
  .object({
    name: z.string(),
    type: PromptType,
    versions: z.array(z.int()),
    labels: z.array(z.string()),
    tags: z.array(z.string()),
    lastUpdatedAt: responseTime,
    lastConfig: z.unknown(),
  })
  .meta({ id: 'PromptMeta' })

export const PromptMetaListResponse = z
  .object({
    data: z.array(PromptMeta),
    meta: MetaResponse,
    pagination: MetaResponse,
  })
  .meta({ id: 'PromptMetaListResponse' })

export const UpdatePromptRequest = z
  .object({
    newLabels: listOf(storedText),
  })
  .meta({ id: 'UpdatePromptRequest' })
