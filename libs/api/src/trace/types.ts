// Request and response types of trace deletions (contract §17.6).
import { z } from 'zod'
import { listOf } from '../fields/fields.ts'
import { maxDeletedTraces } from '../fields/limits.ts'

export const DeleteTraceResponse = z.object({ message: z.string() }).meta({ id: 'DeleteTraceResponse' })

/** Unknown keys are rejected, because they are mistakes by the caller. */
export const DeleteTracesRequest = z
  .strictObject({
    traceIds: listOf(
      z.string(),
      { min: 1, message: 'At least 1 traceId is required.' },
      { max: maxDeletedTraces, message: `Cannot specify more than ${maxDeletedTraces} traces in a single request.` },
    ),
  })
  .meta({ id: 'DeleteTracesRequest' })
