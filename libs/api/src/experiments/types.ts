import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'
import { ObservationLevel, ScoreV3 } from '../shared/types.ts'

export const Experiment = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    startTime: responseTime,
    endTime: responseTime,
    itemCount: z.int(),
    datasetId: z.string().nullable(),
    metadata: recordOf(z.unknown()).nullish(),
    scores: z.array(ScoreV3).optional(),
  })
  .meta({ id: 'Experiment' })

export const ExperimentItem = z
  .object({
    id: z.string(),
    traceId: z.string(),
    startTime: responseTime,
    endTime: responseTime.nullable(),
    level: ObservationLevel,
    environment: z.string(),
    experimentId: z.string(),
    experimentName: z.string(),
    experimentItemId: z.string(),
    experimentDatasetId: z.string().nullish(),
    experimentItemVersion: responseTime.nullish(),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    expectedOutput: z.unknown().optional(),
    metadata: recordOf(z.unknown()).nullish(),
    experimentItemMetadata: recordOf(z.unknown()).nullish(),
    experimentMetadata: recordOf(z.unknown()).nullish(),
    experimentDescription: z.string().nullish(),
    scores: z.array(ScoreV3).optional(),
  })
  .meta({ id: 'ExperimentItem' })

export const ExperimentsResponseMeta = z
  .object({
    cursor: z.string().nullish(),
  })
  .meta({ id: 'ExperimentsResponseMeta' })

export const ExperimentItemsResponse = z
  .object({
    data: z.array(ExperimentItem),
    meta: ExperimentsResponseMeta,
  })
  .meta({ id: 'ExperimentItemsResponse' })

export const ExperimentsResponse = z
  .object({
    data: z.array(Experiment),
    meta: ExperimentsResponseMeta,
  })
  .meta({ id: 'ExperimentsResponse' })
