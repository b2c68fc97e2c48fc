// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface AnnotationQueue {
  id: string
  name: string
  description: string | null
  scoreConfigIds: string[]
  createdAt: string
  updatedAt: string
}

export interface AnnotationQueueAssignmentRequest {
  userId: string
}

export interface AnnotationQueueItem {
  id: string
  queueId: string
  objectId: string
  objectType: AnnotationQueueObjectType
  status: AnnotationQueueStatus
  completedAt?: string | undefined
  createdAt: string
  updatedAt: string
}

export const AnnotationQueueObjectType = {
  Trace: 'TRACE',
  Observation: 'OBSERVATION',
  Session: 'SESSION',
} as const
export type AnnotationQueueObjectType = (typeof AnnotationQueueObjectType)[keyof typeof AnnotationQueueObjectType]

export const AnnotationQueueStatus = {
  Pending: 'PENDING',
  Completed: 'COMPLETED',
} as const
export type AnnotationQueueStatus = (typeof AnnotationQueueStatus)[keyof typeof AnnotationQueueStatus]

export interface CreateAnnotationQueueAssignmentResponse {
  userId: string
  queueId: string
  projectId: string
}

export interface CreateAnnotationQueueItemRequest {
  objectId: string
  objectType: AnnotationQueueObjectType
  status?: AnnotationQueueStatus | undefined
}

export interface CreateAnnotationQueueRequest {
  name: string
  description?: string | null | undefined
  scoreConfigIds: string[]
}

export interface DeleteAnnotationQueueAssignmentResponse {
  success: boolean
}

export interface DeleteAnnotationQueueItemResponse {
  success: boolean
  message: string
}

export interface GetAnnotationQueueItemsRequest {
  page?: number | undefined
  limit?: number | undefined
  status?: AnnotationQueueStatus | undefined
}

export interface GetAnnotationQueuesRequest {
  page?: number | undefined
  limit?: number | undefined
  fromTimestamp?: string | undefined
  toTimestamp?: string | undefined
}

export interface PaginatedAnnotationQueueItems {
  data: AnnotationQueueItem[]
  meta: MetaResponse
}

export interface PaginatedAnnotationQueues {
  data: AnnotationQueue[]
  meta: MetaResponse
}

export interface UpdateAnnotationQueueItemRequest {
  status?: AnnotationQueueStatus | undefined
}
