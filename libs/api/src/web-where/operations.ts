// Shows where a span is stored, and why a column has its value.
import { z } from 'zod'
import { queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { Arrivals, ObservationOrigin, WhereTrace } from './types.ts'

const common = {
  method: 'GET',
  auth: 'project',
  surface: 'private',
  bucket: 'none',
  waits: true,
  errors: ['not_found', 'column_store_overloaded', 'column_store_unavailable', 'log_unavailable'],
} as const

export const whereTrace = operation({
  ...common,
  id: 'webWhere.trace',
  path: '/api/ui/projects/{projectId}/where/{traceId}',
  responses: { 200: WhereTrace },
  summary: 'Find the spans of a trace: stored, on the log, in a window, dead-lettered or deleted.',
})

export const arrivals = operation({
  id: 'webWhere.arrivals',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/arrivals',
  auth: 'project',
  surface: 'private',
  bucket: 'none',
  responses: { 200: Arrivals },
  summary: 'List the latest accepted and refused requests of each API key, newest first.',
})

export const explainObservation = operation({
  ...common,
  id: 'webWhere.explain',
  path: '/api/ui/projects/{projectId}/explain/{observationId}',
  /** Selects the trace if several traces have an observation with this id. */
  query: z.object({ traceId: queryText }),
  responses: { 200: ObservationOrigin },
  summary:
    'Explain a stored observation: its position on the log, and for each column the rule and the attributes that determine its value.',
})
