// The body of POST /api/public/dataset-run-items (public-api-resources.md §2.2), strict: a key that nobody
// knows is a mistake of the caller.
import { z } from 'zod'
import { id, json, optionalId, optionalTime, text } from './fields.ts'
import { isSet } from './score.ts'

/** It stands in an index of the relational store, which ends at 2,700 bytes. */
const maxRunName = 500

const named = z
  .string()
  .min(1)
  .max(maxRunName)
  .refine(value => !value.includes('\0'), { message: 'Expected a text without NUL.' })

export const createRunItem = z
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

export type RunItemInput = z.infer<typeof createRunItem>
