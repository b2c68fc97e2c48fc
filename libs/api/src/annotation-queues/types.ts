import { z } from 'zod'
import { listOf, maxIdLength, responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const AnnotationQueue = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    scoreConfigIds: z.array(z.string()),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'AnnotationQueue' })

export const AnnotationQueueAssignmentRequest = z
  .strictObject({
    userId: storedName(maxIdLength),
  })
  .meta({ id: 'AnnotationQueueAssignmentRequest' })

export const AnnotationQueueObjectType = z.enum(['TRACE', 'OBSERVATION', 'SESSION']).meta({ id: 'AnnotationQueueObjectType' })

export const AnnotationQueueStatus = z.enum(['PENDING', 'COMPLETED']).meta({ id: 'AnnotationQueueStatus' })

export const AnnotationQueueItem = z
  .object({
    id: z.string(),
    queueId: z.string(),
    objectId: z.string(),
    objectType: AnnotationQueueObjectType,
    status: AnnotationQueueStatus,
    completedAt: responseTime.nullable(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'AnnotationQueueItem' })

export const CreateAnnotationQueueAssignmentResponse = z
  .object({
    userId: z.string(),
    queueId: z.string(),
    projectId: z.string(),
  })
  .meta({ id: 'CreateAnnotationQueueAssignmentResponse' })

export const CreateAnnotationQueueItemRequest = z
  .strictObject({
    objectId: storedName(maxIdLength),
    objectType: AnnotationQueueObjectType,
    status: AnnotationQueueStatus.nullish(),
  })
  .meta({ id: 'CreateAnnotationQueueItemRequest' })

export const CreateAnnotationQueueRequest = z
  .strictObject({
    name: storedName(maxIdLength),
    description: storedText.nullish(),
    scoreConfigIds: listOf(storedName(maxIdLength), { min: 1, max: 1_000 }),
  })
  .meta({ id: 'CreateAnnotationQueueRequest' })

export const DeleteAnnotationQueueAssignmentResponse = z
  .object({
    success: z.boolean(),
  })
  .meta({ id: 'DeleteAnnotationQueueAssignmentResponse' })

export const DeleteAnnotationQueueItemResponse = z
  .object({
    success: z.boolean(),
    message: z.string(),
  })
  .meta({ id: 'DeleteAnnotationQueueItemResponse' })

export const PaginatedAnnotationQueueItems = z
  .object({
    data: z.array(AnnotationQueueItem),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedAnnotationQueueItems' })

export const PaginatedAnnotationQueues = z
  .object({
    data: z.array(AnnotationQueue),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedAnnotationQueues' })

export const UpdateAnnotationQueueItemRequest = z
  .strictObject({
    status: AnnotationQueueStatus.nullish(),
  })
  .meta({ id: 'UpdateAnnotationQueueItemRequest' })
