// Deletion of traces (contract §17.6).
import { z } from 'zod'
import { operation } from '../operation.ts'
import { DeleteTraceResponse, DeleteTracesRequest } from './types.ts'

export const remove = operation({
  id: 'trace.delete',
  method: 'DELETE',
  path: '/api/public/traces/{traceId}',
  auth: 'project',
  // Deleting an unknown id also succeeds, because no trace has this id afterwards.
  params: { traceId: z.string() },
  responses: { 200: DeleteTraceResponse },
  bucket: 'trace-delete',
  emptyRequest: true,
  summary: 'Delete a trace with its observations and scores.',
})

export const deleteMultiple = operation({
  id: 'trace.deleteMultiple',
  method: 'DELETE',
  path: '/api/public/traces',
  auth: 'project',
  body: DeleteTracesRequest,
  responses: { 200: DeleteTraceResponse },
  bucket: 'trace-delete',
  summary: 'Delete traces with their observations and scores.',
})
