// Operations of the trace view. Each read operation has two paths: one in the trace's project, and one for public traces. The path for
// public traces needs no session.
import { z } from 'zod'
import { queryInteger, queryText, repeated, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { ObservationDetail, TextSlice, TraceMatches, TraceTree, UpdateTraceRequest } from './types.ts'

const inProject = '/api/ui/projects/{projectId}/traces/{traceId}' as const
const inPublic = '/api/ui/public-traces/{projectId}/{traceId}' as const

const common = {
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  errors: ['not_found', 'column_store_overloaded', 'column_store_unavailable'],
} as const

/** `open` lists ids of observations. The tree contains their children even if the trace is too large to be sent as a whole. */
const treeQuery = z.object({ open: repeated })
const searchQuery = z.object({ text: required(queryText) })
const slice = z.object({ offset: queryInteger({ min: 0, max: 1_000_000_000 }), limit: queryInteger({ min: 1, max: 1_048_576 }) })
const field = { field: z.enum(['input', 'output', 'metadata', 'expectedOutput']) }

export const getTree = operation({
  id: 'webTraces.getTree',
  method: 'GET',
  waits: true,
  path: `${inProject}/tree`,
  auth: 'project',
  ...common,
  query: treeQuery,
  responses: { 200: TraceTree },
  summary: 'Get the tree of a trace.',
})

export const search = operation({
  id: 'webTraces.search',
  method: 'GET',
  waits: true,
  path: `${inProject}/search`,
  auth: 'project',
  ...common,
  query: searchQuery,
  responses: { 200: TraceMatches },
  summary: 'Search the contents of a trace.',
})

export const getObservation = operation({
  id: 'webTraces.getObservation',
  method: 'GET',
  waits: true,
  path: `${inProject}/observations/{observationId}`,
  auth: 'project',
  ...common,
  responses: { 200: ObservationDetail },
  summary: 'Get an observation of a trace.',
})

export const getText = operation({
  id: 'webTraces.getText',
  method: 'GET',
  waits: true,
  path: `${inProject}/observations/{observationId}/{field}`,
  auth: 'project',
  ...common,
  params: field,
  query: slice,
  responses: { 200: TextSlice },
  summary: 'Get a slice of a text of an observation.',
})

export const update = operation({
  id: 'webTraces.update',
  method: 'PATCH',
  path: inProject,
  auth: 'project',
  ...common,
  body: UpdateTraceRequest,
  responses: { 202: null },
  summary: 'Bookmark a trace, or make it public. Readers see the change within seconds.',
})

export const getPublicTree = operation({
  id: 'webTraces.getPublicTree',
  method: 'GET',
  waits: true,
  path: `${inPublic}/tree`,
  auth: 'open',
  ...common,
  query: treeQuery,
  responses: { 200: TraceTree },
  summary: 'Get the tree of a public trace.',
})

export const searchPublic = operation({
  id: 'webTraces.searchPublic',
  method: 'GET',
  waits: true,
  path: `${inPublic}/search`,
  auth: 'open',
  ...common,
  query: searchQuery,
  responses: { 200: TraceMatches },
  summary: 'Search the contents of a public trace.',
})

export const getPublicObservation = operation({
  id: 'webTraces.getPublicObservation',
  method: 'GET',
  waits: true,
  path: `${inPublic}/observations/{observationId}`,
  auth: 'open',
  ...common,
  responses: { 200: ObservationDetail },
  summary: 'Get an observation of a public trace.',
})

export const getPublicText = operation({
  id: 'webTraces.getPublicText',
  method: 'GET',
  waits: true,
  path: `${inPublic}/observations/{observationId}/{field}`,
  auth: 'open',
  ...common,
  params: field,
  query: slice,
  responses: { 200: TextSlice },
  summary: 'Get a slice of a text of an observation in a public trace.',
})
