import { z } from 'zod'
import { DatasetItem } from '../dataset-items/types.ts'
import { maxIdLength, recordOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const CreateDatasetRequest = z
  .object({
    name: storedName(maxIdLength),
    description: storedText.nullish(),
    metadata: z.unknown().optional(),
    inputSchema: recordOf(z.unknown()).nullish(),
    expectedOutputSchema: recordOf(z.unknown()).nullish(),
  })
  .meta({ id: 'CreateDatasetRequest' })

export const Dataset = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    metadata: z.unknown(),
    inputSchema: recordOf(z.unknown()).nullable(),
    expectedOutputSchema: recordOf(z.unknown()).nullable(),
    projectId: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'Dataset' })

export const PaginatedDatasets = z
  .object({
    data: z.array(Dataset),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedDatasets' })

/** A dataset as the routes before API v2 return it. It contains the names of its runs, and its items or their ids. */
export const DatasetWithItems = Dataset.extend({ items: z.array(DatasetItem), runs: z.array(z.string()) }).meta({ id: 'DatasetWithItems' })
export const DatasetWithItemIds = Dataset.extend({ items: z.array(z.string()), runs: z.array(z.string()) }).meta({
  id: 'DatasetWithItemIds',
})
