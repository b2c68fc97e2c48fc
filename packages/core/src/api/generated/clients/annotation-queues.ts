// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { AnnotationQueue, AnnotationQueueAssignmentRequest, AnnotationQueueItem, CreateAnnotationQueueAssignmentResponse, CreateAnnotationQueueItemRequest, CreateAnnotationQueueRequest, DeleteAnnotationQueueAssignmentResponse, DeleteAnnotationQueueItemResponse, GetAnnotationQueueItemsRequest, GetAnnotationQueuesRequest, PaginatedAnnotationQueueItems, PaginatedAnnotationQueues, UpdateAnnotationQueueItemRequest } from '../types/annotation-queues.ts'

export class AnnotationQueuesClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create an annotation queue. */
  createQueue(request: CreateAnnotationQueueRequest, requestOptions?: RequestOptions): HttpResponsePromise<AnnotationQueue> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/annotation-queues', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Assign an annotation queue to a user. */
  createQueueAssignment(queueId: string, request: AnnotationQueueAssignmentRequest, requestOptions?: RequestOptions): HttpResponsePromise<CreateAnnotationQueueAssignmentResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/assignments`, body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Add a trace, an observation or a session to an annotation queue. */
  createQueueItem(queueId: string, request: CreateAnnotationQueueItemRequest, requestOptions?: RequestOptions): HttpResponsePromise<AnnotationQueueItem> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/items`, body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Take an annotation queue from a user. */
  deleteQueueAssignment(queueId: string, request: AnnotationQueueAssignmentRequest, requestOptions?: RequestOptions): HttpResponsePromise<DeleteAnnotationQueueAssignmentResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/assignments`, body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Remove an item from an annotation queue. */
  deleteQueueItem(queueId: string, itemId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteAnnotationQueueItemResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/items/${encodeURIComponent(itemId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get an annotation queue. */
  getQueue(queueId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<AnnotationQueue> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get an item of an annotation queue. */
  getQueueItem(queueId: string, itemId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<AnnotationQueueItem> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/items/${encodeURIComponent(itemId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List the items of an annotation queue. */
  listQueueItems(queueId: string, request: GetAnnotationQueueItemsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedAnnotationQueueItems> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/items`, query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** List annotation queues. */
  listQueues(request: GetAnnotationQueuesRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedAnnotationQueues> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/annotation-queues', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Complete or reopen an item of an annotation queue. */
  updateQueueItem(queueId: string, itemId: string, request: UpdateAnnotationQueueItemRequest, requestOptions?: RequestOptions): HttpResponsePromise<AnnotationQueueItem> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/annotation-queues/${encodeURIComponent(queueId)}/items/${encodeURIComponent(itemId)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
