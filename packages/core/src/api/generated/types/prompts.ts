// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ChatMessageWithPlaceholders, MetaResponse } from './commons.ts'

export interface CreateChatPromptRequest {
  name: string
  prompt: ChatMessageWithPlaceholders[]
  config?: unknown
  type: CreateChatPromptType
  labels?: string[] | undefined
  tags?: string[] | undefined
  commitMessage?: string | undefined
}

export const CreateChatPromptType = {
  Chat: 'chat',
} as const
export type CreateChatPromptType = (typeof CreateChatPromptType)[keyof typeof CreateChatPromptType]

export type CreatePromptRequest = CreateChatPromptRequest | CreateTextPromptRequest

export interface CreateTextPromptRequest {
  name: string
  prompt: string
  config?: unknown
  type?: CreateTextPromptType | undefined
  labels?: string[] | undefined
  tags?: string[] | undefined
  commitMessage?: string | undefined
}

export const CreateTextPromptType = {
  Text: 'text',
} as const
export type CreateTextPromptType = (typeof CreateTextPromptType)[keyof typeof CreateTextPromptType]

export interface DeletePromptRequest {
  label?: string | undefined
  version?: number | undefined
}

export interface GetPromptRequest {
  version?: number | undefined
  label?: string | undefined
  resolve?: boolean | undefined
}

export interface ListPromptsMetaRequest {
  page?: number | undefined
  limit?: number | undefined
  name?: string | undefined
  label?: string | undefined
  tag?: string | undefined
  fromUpdatedAt?: string | undefined
  toUpdatedAt?: string | undefined
  filter?: string | undefined
}

export interface PromptMeta {
  name: string
  type: PromptType
  versions: number[]
  labels: string[]
  tags: string[]
  lastUpdatedAt: string
  lastConfig?: unknown
}

export interface PromptMetaListResponse {
  data: PromptMeta[]
  meta: MetaResponse
}

export const PromptType = {
  Chat: 'chat',
  Text: 'text',
} as const
export type PromptType = (typeof PromptType)[keyof typeof PromptType]
