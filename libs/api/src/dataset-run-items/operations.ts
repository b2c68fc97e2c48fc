// POST /api/public/dataset-run-items (contract §18.2; contract §20.8), the operation that SDKs before v6 call.
import { z } from 'zod'
import { id, isSet, json, optionalId, optionalTime, responseTime, text } from '../fields/fields.ts'
import { operation } from '../operation.ts'

/** The name is limited, because an entry of the relational store's index has at most 2,700 bytes. */
const maxRunName = 500

const named = z
  .string()
  .min(1)
  .max(maxRunName)
  .refine(value => !value.includes('\0'), { message: 'Must not contain NUL characters.' })

/** Unknown keys are rejected, because they are mistakes by the caller. */
export const CreateDatasetRunItemRequest = z
  .strictObject({
    runName: named,
    datasetItemId: id,
    runDescription: text,
    metadata: json,
    traceId: optionalId,
    observationId: optionalId,
    datasetVersion: optionalTime,
    createdAt: optionalTime,
  })
  .superRefine(({ traceId, observationId }, context) => {
    if (isSet(traceId) || isSet(observationId)) return
    context.addIssue({ code: 'custom', message: 'Provide traceId, observationId or both.', path: ['traceId'] })
  })
  .meta({ id: 'CreateDatasetRunItemRequest' })

export const DatasetRunItem = z
  .object({
    id: z.string(),
    datasetRunId: z.string(),
    datasetRunName: z.string(),
    datasetItemId: z.string(),
    traceId: z.string(),
    observationId: z.string().nullable(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'DatasetRunItem' })

export const create = operation({
  id: 'datasetRunItems.create',
  method: 'POST',
  path: '/api/public/dataset-run-items',
  auth: 'project',
  body: CreateDatasetRunItemRequest,
  exactNumbers: true,
  responses: { 200: DatasetRunItem },
  errors: ['not_found', 'body_too_large'],
  bucket: 'datasets',
  surface: 'legacy',
  summary: 'Link a trace or an observation to an item of a dataset run.',
})
