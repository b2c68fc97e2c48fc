// Operations of observations.
import { z } from 'zod'
import { queryBoolean, queryChoice, queryInteger, queryJson, queryText, queryTime, repeated } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { ObservationLevel } from '../shared/types.ts'
import { ObservationsV2Response } from './types.ts'

export const getMany = operation({
  id: 'observations.getMany',
  method: 'GET',
  path: '/api/public/v2/observations',
  auth: 'project',
  query: z.object({
    fields: queryText,
    expandMetadata: queryText,
    limit: queryInteger({ min: 1, max: 100 }),
    cursor: queryText,
    parseIoAsJson: queryBoolean,
    name: queryText,
    userId: queryText,
    sessionId: queryText,
    type: queryText,
    traceId: queryText,
    level: queryChoice(ObservationLevel.options),
    parentObservationId: queryText,
    isRootObservation: queryBoolean,
    environment: repeated,
    fromStartTime: queryTime,
    toStartTime: queryTime,
    version: queryText,
    filter: queryJson,
  }),
  responses: { 200: ObservationsV2Response },
  gate: 'previewOptIn',
  servedBy: 'nobody',
  summary: 'List observations by filters, newest first.',
})
