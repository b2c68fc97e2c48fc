// The body of DELETE /api/public/traces (public-api-data.md §1.6), strict: a key that nobody knows is a mistake of the caller.
import { z } from 'zod'
import { maxDeletedTraces } from '../limits.ts'
import { listOf } from './fields.ts'

export const deleteTraces = z.strictObject({
  traceIds: listOf(
    z.string(),
    z.minLength(1, 'At least 1 traceId is required.'),
    z.maxLength(maxDeletedTraces, `Cannot specify more than ${maxDeletedTraces} traces in a single request.`),
  ),
})
