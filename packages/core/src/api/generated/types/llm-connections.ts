// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface DeleteLlmConnectionResponse {
  message: string
}

export interface GetLlmConnectionsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export const LlmAdapter = {
  Anthropic: 'anthropic',
  OpenAi: 'openai',
  Azure: 'azure',
  Bedrock: 'bedrock',
  GoogleVertexAi: 'google-vertex-ai',
  GoogleAiStudio: 'google-ai-studio',
} as const
export type LlmAdapter = (typeof LlmAdapter)[keyof typeof LlmAdapter]

export interface LlmConnection {
  id: string
  provider: string
  adapter: string
  displaySecretKey: string
  baseURL?: string | undefined
  customModels: string[]
  withDefaultModels: boolean
  extraHeaderKeys: string[]
  config?: Record<string, unknown> | undefined
  createdAt: string
  updatedAt: string
}

export interface PaginatedLlmConnections {
  data: LlmConnection[]
  meta: MetaResponse
}

export interface UpsertLlmConnectionRequest {
  provider: string
  adapter: LlmAdapter
  secretKey: string
  baseURL?: string | undefined
  customModels?: string[] | undefined
  withDefaultModels?: boolean | undefined
  extraHeaders?: Record<string, string> | undefined
  config?: Record<string, unknown> | undefined
}
