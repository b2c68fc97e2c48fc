// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface CreateDatasetItemRequest {
  datasetName: string
  input?: unknown
  expectedOutput?: unknown
  metadata?: unknown
  sourceTraceId?: string | undefined
  sourceObservationId?: string | undefined
  id?: string | undefined
  status?: DatasetStatus | undefined
}

export interface DatasetItem {
  id: string
  status: DatasetStatus
  input?: unknown
  expectedOutput?: unknown
  metadata?: unknown
  sourceTraceId: string | null
  sourceObservationId: string | null
  datasetId: string
  datasetName: string
  createdAt: string
  updatedAt: string
  version?: string | undefined
  mediaReferences: DatasetItemMediaReference[]
}

export interface DatasetItemMediaReference {
  field: DatasetItemMediaReferenceField
  referenceString: string
  jsonPath: string
  media: DatasetItemMediaReferenceMedia
}

export const DatasetItemMediaReferenceField = {
  Input: 'input',
  ExpectedOutput: 'expectedOutput',
  Metadata: 'metadata',
} as const
export type DatasetItemMediaReferenceField = (typeof DatasetItemMediaReferenceField)[keyof typeof DatasetItemMediaReferenceField]

export interface DatasetItemMediaReferenceMedia {
  mediaId: string
  contentType: string
  contentLength: number
  url: string
  urlExpiry: string
}

export const DatasetStatus = {
  Active: 'ACTIVE',
  Archived: 'ARCHIVED',
} as const
export type DatasetStatus = (typeof DatasetStatus)[keyof typeof DatasetStatus]

export interface DeleteDatasetItemResponse {
  message: string
}

export interface GetDatasetItemsRequest {
  page?: number | undefined
  limit?: number | undefined
  datasetName?: string | undefined
  sourceTraceId?: string | undefined
  sourceObservationId?: string | undefined
  version?: string | undefined
}

export interface PaginatedDatasetItems {
  data: DatasetItem[]
  meta: MetaResponse
}
