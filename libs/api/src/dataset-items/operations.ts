import { z } from 'zod'
import { maxBatchBytes, maxItemsBatchBytes } from '../fields/limits.ts'
import { pageParameters, queryText, queryTime } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { CreateDatasetItemRequest, DatasetItem, DeleteDatasetItemResponse, PaginatedDatasetItems } from './types.ts'

export const create = operation({
  id: 'datasetItems.create',
  method: 'POST',
  path: '/api/public/dataset-items',
  auth: 'project',
  body: CreateDatasetItemRequest,
  exactNumbers: true,
  maxBodyBytes: maxBatchBytes,
  responses: { 200: DatasetItem },
  errors: ['not_found', 'conflict', 'bad_request'],
  bucket: 'datasets',
  summary: 'Create a dataset item, or a new version of an existing item.',
})

export const get = operation({
  id: 'datasetItems.get',
  method: 'GET',
  path: '/api/public/dataset-items/{id}',
  auth: 'project',
  responses: { 200: DatasetItem },
  bucket: 'datasets',
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Get a dataset item.',
})

export const list = operation({
  id: 'datasetItems.list',
  method: 'GET',
  path: '/api/public/dataset-items',
  auth: 'project',
  query: z.object({
    ...pageParameters(),
    datasetName: queryText,
    sourceTraceId: queryText,
    sourceObservationId: queryText,
    version: queryTime,
  }),
  responses: { 200: PaginatedDatasetItems },
  errors: ['not_found', 'bad_request'],
  bucket: 'datasets',
  summary: 'List dataset items in their current state or in their state at a given time.',
})

export const remove = operation({
  id: 'datasetItems.delete',
  method: 'DELETE',
  path: '/api/public/dataset-items/{id}',
  auth: 'project',
  responses: { 200: DeleteDatasetItemResponse },
  bucket: 'datasets',
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Delete a dataset item.',
})

export const createBatch = operation({
  id: 'datasetItems.createBatch',
  method: 'POST',
  path: '/api/public/dataset-items/batch',
  auth: 'project',
  bytes: 'request',
  maxBodyBytes: maxItemsBatchBytes,
  responses: { 200: null },
  errors: ['content_type_unsupported', 'body_too_large', 'relational_unavailable'],
  bucket: 'datasets',
  surface: 'extra',
  summary:
    'Create dataset items, or new versions of them. Each line of the body (NDJSON) is a body of POST /api/public/dataset-items. Each line of the response reports the result of one line of the body. A line of the response is an object with the members `line`, `status`, `id` and `message`.',
})
