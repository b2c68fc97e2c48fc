// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface Comment {
  id: string
  projectId: string
  createdAt: string
  updatedAt: string
  objectType: CommentObjectType
  objectId: string
  content: string
  authorUserId?: string | null | undefined
}

export const CommentObjectType = {
  Trace: 'TRACE',
  Observation: 'OBSERVATION',
  Session: 'SESSION',
  Prompt: 'PROMPT',
} as const
export type CommentObjectType = (typeof CommentObjectType)[keyof typeof CommentObjectType]

export interface CreateCommentRequest {
  projectId: string
  objectType: string
  objectId: string
  content: string
  authorUserId?: string | undefined
}

export interface CreateCommentResponse {
  id: string
}

export interface GetCommentsRequest {
  page?: number | undefined
  limit?: number | undefined
  objectType?: string | undefined
  objectId?: string | undefined
  authorUserId?: string | undefined
}

export interface GetCommentsResponse {
  data: Comment[]
  meta: MetaResponse
}
