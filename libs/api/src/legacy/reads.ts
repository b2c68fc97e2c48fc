// Operations that read the v3 tables. These tables are empty in `events_only` (contract §§4.5, 20).
import { z } from 'zod'
import {
  commaList,
  commaText,
  pageParameters,
  queryChoice,
  queryJson,
  queryNumber,
  queryText,
  queryTime,
  repeated,
} from '../fields/query.ts'
import { ObservationType } from '../ingestion/types.ts'
import { operation } from '../operation.ts'
import { ErrorBody } from '../shared/errors.ts'
import { ObservationLevel, ScoreDataType, ScoreSource } from '../shared/types.ts'
import { replacements } from './replacements.ts'
import {
  LegacyObservation,
  LegacyObservations,
  LegacySession,
  LegacySessions,
  LegacyTraces,
  LegacyTraceWithDetails,
  ScoresV1,
  ScoresV2,
  ScoreV1,
  ScoreV2,
} from './types.ts'

const shared = {
  method: 'GET',
  auth: 'project',
  gate: 'notInEventsOnly',
  surface: 'legacy',
  bucket: 'public-api-legacy',
  errors: ['column_store_overloaded', 'column_store_unavailable', 'response_too_large'],
} as const

const ofOne = { ...shared, errors: [...shared.errors, 'not_found'] } as const

const traceFields = commaText(['core', 'io', 'scores', 'observations', 'metrics'])

export const listTraces = operation({
  ...shared,
  id: 'legacy.listTraces',
  path: '/api/public/traces',
  query: z.object({
    ...pageParameters(),
    userId: queryText,
    name: queryText,
    sessionId: queryText,
    version: queryText,
    release: queryText,
    /** A trace matches if it has all of these tags. */
    tags: repeated,
    environment: repeated,
    fromTimestamp: queryTime,
    toTimestamp: queryTime,
    /** A field and a direction, for example `timestamp.desc`. */
    orderBy: queryText,
    /** Groups of fields; the server ignores unknown names. */
    fields: traceFields,
    filter: queryJson,
  }),
  responses: { 200: LegacyTraces },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'List traces by filters.',
})

export const getTrace = operation({
  ...ofOne,
  id: 'legacy.getTrace',
  path: '/api/public/traces/{traceId}',
  query: z.object({ fields: traceFields }),
  responses: { 200: LegacyTraceWithDetails },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'Get a trace with its observations and scores.',
})

export const listObservations = operation({
  ...shared,
  id: 'legacy.listObservations',
  path: '/api/public/observations',
  query: z.object({
    ...pageParameters(),
    name: queryText,
    userId: queryText,
    type: queryChoice(ObservationType.options),
    traceId: queryText,
    level: queryChoice(ObservationLevel.options),
    parentObservationId: queryText,
    environment: repeated,
    fromStartTime: queryTime,
    toStartTime: queryTime,
    version: queryText,
    filter: queryJson,
  }),
  responses: { 200: LegacyObservations },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'List observations by filters, newest first.',
})

export const getObservation = operation({
  ...ofOne,
  id: 'legacy.getObservation',
  path: '/api/public/observations/{observationId}',
  /** Older clients send the start time as a hint. */
  query: z.object({ startTime: queryTime }),
  responses: { 200: LegacyObservation },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'Get an observation.',
})

export const listSessions = operation({
  ...shared,
  id: 'legacy.listSessions',
  path: '/api/public/sessions',
  query: z.object({ ...pageParameters(), fromTimestamp: queryTime, toTimestamp: queryTime, environment: repeated }),
  responses: { 200: LegacySessions },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'List sessions, newest first.',
})

export const getSession = operation({
  ...ofOne,
  id: 'legacy.getSession',
  path: '/api/public/sessions/{sessionId}',
  responses: { 200: LegacySession },
  replacedBy: replacements.observations,
  waits: true,
  summary: 'Get a session with its traces.',
})

const scoreQuery = {
  ...pageParameters(),
  userId: queryText,
  name: queryText,
  fromTimestamp: queryTime,
  toTimestamp: queryTime,
  environment: repeated,
  source: queryChoice(ScoreSource.options),
  /** Requires `value`. */
  operator: queryChoice(['<', '>', '<=', '>=', '!=', '=']),
  value: queryNumber,
  scoreIds: commaList,
  configId: queryText,
  queueId: queryText,
  dataType: queryChoice(ScoreDataType.options),
  traceTags: repeated,
  /** Groups of fields to return. Without this parameter, the response contains both groups. */
  fields: commaText(['score', 'trace']),
  filter: queryJson,
}

const ofScores = { ...shared, replacedBy: replacements.scores } as const
const ofScore = { ...ofOne, replacedBy: replacements.scores } as const

export const listScoresV1 = operation({
  ...ofScores,
  id: 'legacy.listScoresV1',
  path: '/api/public/scores',
  query: z.object(scoreQuery),
  responses: { 200: ScoresV1 },
  waits: true,
  summary: 'List scores of traces and observations by filters, newest first.',
})

export const getScoreV1 = operation({
  ...ofScore,
  id: 'legacy.getScoreV1',
  path: '/api/public/scores/{scoreId}',
  responses: { 200: ScoreV1, 500: ErrorBody },
  waits: true,
  summary: 'Get a score of a trace or an observation.',
})

export const listScoresV2 = operation({
  ...ofScores,
  id: 'legacy.listScoresV2',
  path: '/api/public/v2/scores',
  query: z.object({
    ...scoreQuery,
    sessionId: queryText,
    datasetRunId: queryText,
    traceId: queryText,
    observationId: commaList,
  }),
  responses: { 200: ScoresV2 },
  waits: true,
  summary: 'List scores by filters, newest first.',
})

export const getScoreV2 = operation({
  ...ofScore,
  id: 'legacy.getScoreV2',
  path: '/api/public/v2/scores/{scoreId}',
  responses: { 200: ScoreV2, 500: ErrorBody },
  waits: true,
  summary: 'Get a score.',
})
