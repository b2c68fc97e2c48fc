import { z } from 'zod'
import { responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const DatasetStatus = z.enum(['ACTIVE', 'ARCHIVED']).meta({ id: 'DatasetStatus' })

export const CreateDatasetItemRequest = z
  .object({
    datasetName: storedText,
    input: z.unknown().optional(),
    expectedOutput: z.unknown().optional(),
    metadata: z.unknown().optional(),
    sourceTraceId: storedText.nullish(),
    sourceObservationId: storedText.nullish(),
    id: storedName(255).nullish(),
    status: DatasetStatus.nullish(),
  })
  .meta({ id: 'CreateDatasetItemRequest' })

export const DatasetItemMediaReferenceField = z.enum(['input', 'expectedOutput', 'metadata']).meta({ id: 'DatasetItemMediaReferenceField' })

export const DatasetItemMediaReferenceMedia = z
  .object({
    mediaId: z.string(),
    contentType: z.string(),
    contentLength: z.int(),
    url: z.string(),
    urlExpiry: z.string(),
  })
  .meta({ id: 'DatasetItemMediaReferenceMedia' })

export const DatasetItemMediaReference = z
  .object({
    field: DatasetItemMediaReferenceField,
    referenceString: z.string(),
    jsonPath: z.string(),
    media: DatasetItemMediaReferenceMedia,
  })
  .meta({ id: 'DatasetItemMediaReference' })

export const DatasetItem = z
  .object({
    id: z.string(),
    status: DatasetStatus,
    input: z.unknown(),
    expectedOutput: z.unknown(),
    metadata: z.unknown(),
    sourceTraceId: z.string().nullable(),
    sourceObservationId: z.string().nullable(),
    datasetId: z.string(),
    datasetName: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    version: responseTime.optional(),
    mediaReferences: z.array(DatasetItemMediaReference),
  })
  .meta({ id: 'DatasetItem' })

export const DeleteDatasetItemResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'DeleteDatasetItemResponse' })

export const PaginatedDatasetItems = z
  .object({
    data: z.array(DatasetItem),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedDatasetItems' })
