// Observations v2 (contract §17.2).
import { z } from 'zod'
import {
  anyText,
  commaText,
  limitParameter,
  queryBoolean,
  queryChoice,
  queryJson,
  queryText,
  queryTime,
  repeated,
} from '../fields/query.ts'
import { ObservationType } from '../ingestion/types.ts'
import { operation } from '../operation.ts'
import { ObservationLevel } from '../shared/types.ts'
import { maxStreamRows } from '../streams.ts'
import { ObservationsV2Response } from './types.ts'

const groups = ['core', 'basic', 'time', 'io', 'metadata', 'model', 'usage', 'prompt', 'metrics', 'trace_context'] as const

const query = z.object({
  /** Groups of fields. The server ignores unknown names, and always includes the group core. */
  fields: commaText(groups),
  /** A list of metadata keys. If the list is not empty, the server returns all metadata untruncated, not only the listed keys. */
  expandMetadata: commaText(),
  limit: limitParameter({ min: 0, max: 1_000 }),
  cursor: queryText,
  parseIoAsJson: queryBoolean,
  type: queryChoice(ObservationType.options),
  name: queryText,
  userId: queryText,
  sessionId: queryText,
  traceId: queryText,
  version: queryText,
  level: queryChoice(ObservationLevel.options),
  /** An empty value selects observations without a parent. */
  parentObservationId: anyText,
  isRootObservation: queryBoolean,
  environment: repeated,
  fromStartTime: queryTime,
  toStartTime: queryTime,
  filter: queryJson,
})

export const getMany = operation({
  id: 'observations.getMany',
  method: 'GET',
  path: '/api/public/v2/observations',
  auth: 'project',
  query,
  streamQuery: query.extend({ limit: limitParameter({ min: 0, max: maxStreamRows }) }),
  responses: { 200: ObservationsV2Response },
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  gate: 'previewOptIn',
  waits: true,
  summary: 'List observations by filters, newest first.',
})
