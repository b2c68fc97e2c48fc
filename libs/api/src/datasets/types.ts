// Types of the wire of datasets.
import { z } from 'zod'
import { recordOf, responseTime, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const CreateDatasetRequest = z
  .object({
    name: storedText,
    description: storedText.nullish(),
    metadata: z.unknown().optional(),
    inputSchema: z.unknown().optional(),
    expectedOutputSchema: z.unknown().optional(),
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
