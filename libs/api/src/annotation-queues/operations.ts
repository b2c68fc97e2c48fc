import { z } from 'zod'
import { pageParameters, queryChoice, queryTime } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  AnnotationQueue,
  AnnotationQueueAssignmentRequest,
  AnnotationQueueItem,
  AnnotationQueueStatus,
  CreateAnnotationQueueAssignmentResponse,
  CreateAnnotationQueueItemRequest,
  CreateAnnotationQueueRequest,
  DeleteAnnotationQueueAssignmentResponse,
  DeleteAnnotationQueueItemResponse,
  PaginatedAnnotationQueueItems,
  PaginatedAnnotationQueues,
  UpdateAnnotationQueueItemRequest,
} from './types.ts'

export const listQueues = operation({
  id: 'annotationQueues.listQueues',
  method: 'GET',
  path: '/api/public/annotation-queues',
  auth: 'project',
  query: z.strictObject({ ...pageParameters(), fromTimestamp: queryTime, toTimestamp: queryTime }),
  responses: { 200: PaginatedAnnotationQueues },
  bucket: 'annotation-queues',
  summary: 'List annotation queues.',
})

export const createQueue = operation({
  id: 'annotationQueues.createQueue',
  method: 'POST',
  path: '/api/public/annotation-queues',
  auth: 'project',
  query: z.strictObject({}),
  body: CreateAnnotationQueueRequest,
  responses: { 200: AnnotationQueue },
  errors: ['bad_request'],
  bucket: 'annotation-queues',
  summary: 'Create an annotation queue.',
})

export const getQueue = operation({
  id: 'annotationQueues.getQueue',
  method: 'GET',
  path: '/api/public/annotation-queues/{queueId}',
  auth: 'project',
  query: z.strictObject({}),
  responses: { 200: AnnotationQueue },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  emptyRequest: true,
  summary: 'Get an annotation queue.',
})

export const listQueueItems = operation({
  id: 'annotationQueues.listQueueItems',
  method: 'GET',
  path: '/api/public/annotation-queues/{queueId}/items',
  auth: 'project',
  query: z.strictObject({ ...pageParameters(), status: queryChoice(AnnotationQueueStatus.options) }),
  responses: { 200: PaginatedAnnotationQueueItems },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  summary: 'List the items of an annotation queue.',
})

export const getQueueItem = operation({
  id: 'annotationQueues.getQueueItem',
  method: 'GET',
  path: '/api/public/annotation-queues/{queueId}/items/{itemId}',
  auth: 'project',
  query: z.strictObject({}),
  responses: { 200: AnnotationQueueItem },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  emptyRequest: true,
  summary: 'Get an item of an annotation queue.',
})

export const createQueueItem = operation({
  id: 'annotationQueues.createQueueItem',
  method: 'POST',
  path: '/api/public/annotation-queues/{queueId}/items',
  auth: 'project',
  query: z.strictObject({}),
  body: CreateAnnotationQueueItemRequest,
  responses: { 200: AnnotationQueueItem },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  summary: 'Add a trace, an observation or a session to an annotation queue.',
})

export const updateQueueItem = operation({
  id: 'annotationQueues.updateQueueItem',
  method: 'PATCH',
  path: '/api/public/annotation-queues/{queueId}/items/{itemId}',
  auth: 'project',
  query: z.strictObject({}),
  body: UpdateAnnotationQueueItemRequest,
  responses: { 200: AnnotationQueueItem },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  summary: 'Complete or reopen an item of an annotation queue.',
})

export const deleteQueueItem = operation({
  id: 'annotationQueues.deleteQueueItem',
  method: 'DELETE',
  path: '/api/public/annotation-queues/{queueId}/items/{itemId}',
  auth: 'project',
  query: z.strictObject({}),
  responses: { 200: DeleteAnnotationQueueItemResponse },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  emptyRequest: true,
  summary: 'Remove an item from an annotation queue.',
})

export const createQueueAssignment = operation({
  id: 'annotationQueues.createQueueAssignment',
  method: 'POST',
  path: '/api/public/annotation-queues/{queueId}/assignments',
  auth: 'project',
  query: z.strictObject({}),
  body: AnnotationQueueAssignmentRequest,
  responses: { 200: CreateAnnotationQueueAssignmentResponse },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  summary: 'Assign an annotation queue to a user.',
})

export const deleteQueueAssignment = operation({
  id: 'annotationQueues.deleteQueueAssignment',
  method: 'DELETE',
  path: '/api/public/annotation-queues/{queueId}/assignments',
  auth: 'project',
  query: z.strictObject({}),
  body: AnnotationQueueAssignmentRequest,
  responses: { 200: DeleteAnnotationQueueAssignmentResponse },
  errors: ['not_found'],
  bucket: 'annotation-queues',
  summary: 'Remove the assignment of an annotation queue to a user.',
})
