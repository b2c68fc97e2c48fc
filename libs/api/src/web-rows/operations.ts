// What the web app's table reads.
import { z } from 'zod'
import { limitParameter, queryJson, queryText, queryTime } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { ObservationRows } from './types.ts'

export const list = operation({
  id: 'webRows.list',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/rows',
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  waits: true,
  query: z.object({
    limit: limitParameter({ min: 0, max: 200 }),
    cursor: queryText,
    fromStartTime: queryTime,
    toStartTime: queryTime,
    filter: queryJson,
  }),
  responses: { 200: ObservationRows },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'List observations as lines of the table, newest first.',
})
