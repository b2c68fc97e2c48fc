// The body of DELETE /api/public/traces (public-api-data.md §1.6), strict: a key that nobody knows is a mistake of the caller.
import { z } from 'zod'
import { maxDeletedTraces } from '../limits.ts'

export const deleteTraces = z.strictObject({
  traceIds: z
    .array(z.string())
    .min(1, 'At least 1 traceId is required.')
    .max(maxDeletedTraces, `Cannot specify more than ${maxDeletedTraces} traces in a single request.`),
})
