// Operations that read rows for the web app's table.
import { z } from 'zod'
import { commaListOf, limitParameter, queryChoice, queryInteger, queryJson, queryText, queryTime, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { Facets, facetFields, Histogram, MoreOfRows, MoreOfRowsRequest, ObservationRows, sortFields, TopObservationRows } from './types.ts'

const filtered = { fromStartTime: queryTime, toStartTime: queryTime, filter: queryJson }

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
    ...filtered,
  }),
  responses: { 200: ObservationRows },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'List observations as rows of the table, newest first.',
})

export const top = operation({
  id: 'webRows.top',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/rows/top',
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  query: z.object({
    by: required(queryChoice(sortFields)),
    direction: queryChoice(['asc', 'desc']),
    limit: limitParameter({ max: 1_000 }),
    ...filtered,
  }),
  responses: { 200: TopObservationRows },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'List the observations with the largest or smallest values of a numeric field, at most 1,000.',
})

export const more = operation({
  id: 'webRows.more',
  method: 'POST',
  path: '/api/ui/projects/{projectId}/rows/more',
  auth: 'project',
  role: 'VIEWER',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  body: MoreOfRowsRequest,
  responses: { 200: MoreOfRows },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary:
    'Get the metadata values and the scores of each requested row. Also get the number of observations, the cost and the tokens of each requested trace.',
})

export const facets = operation({
  id: 'webRows.facets',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/rows/facets',
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  query: z.object({
    fields: required(commaListOf(facetFields)),
    contains: queryText,
    limit: limitParameter({ max: 100 }),
    partFrom: queryTime,
    partTo: queryTime,
    ...filtered,
  }),
  responses: { 200: Facets },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'Count the values of fields. Optionally compare a part of the time range with the rest.',
})

export const histogram = operation({
  id: 'webRows.histogram',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/rows/histogram',
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  query: z.object({
    stepMs: required(queryInteger({ min: 1_000, max: 31 * 86_400_000 })),
    timeZone: queryText,
    ...filtered,
  }),
  responses: { 200: Histogram },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  summary: 'Count all rows and the rows with an error, over time.',
})

/** The response consists of server-sent events. Each event contains only rows that are new since the last event (see `TailEvent`). */
export const tail = operation({
  id: 'webRows.tail',
  method: 'GET',
  path: '/api/ui/projects/{projectId}/rows/tail',
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  bytes: 'response',
  query: z.object({ fromStartTime: required(queryTime), filter: queryJson }),
  responses: { 200: null },
  errors: ['at_capacity', 'column_store_overloaded', 'column_store_unavailable', 'overloaded'],
  summary: 'Follow the observations that match a filter, as they arrive.',
})
