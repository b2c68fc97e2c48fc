// Request and response types of the legacy reads (contract §§20.2 to 20.8).
import { z } from 'zod'
import { DatasetRunItem } from '../dataset-run-items/operations.ts'
import { recordOf, responseTime } from '../fields/fields.ts'
import { MetaResponse, ObservationLevel, ScoreDataType, ScoreSource } from '../shared/types.ts'

const optionalText = z.string().nullable()
const optionalNumber = z.number().nullable()

const trace = z.object({
  id: z.string(),
  externalId: z.null(),
  timestamp: responseTime,
  name: optionalText,
  userId: optionalText,
  metadata: z.unknown().optional(),
  release: optionalText,
  version: optionalText,
  projectId: z.string(),
  environment: z.string(),
  public: z.boolean(),
  bookmarked: z.boolean(),
  tags: z.array(z.string()),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  sessionId: optionalText,
  createdAt: responseTime,
  updatedAt: responseTime,
})

const inProject = {
  htmlPath: z.string(),
  /** Cost in US dollars, or -1 if the request does not select the group `metrics`. */
  totalCost: z.number(),
  /** Latency in seconds, or -1 if the request does not select the group `metrics`. */
  latency: z.number(),
}

/** A trace in a list, with `observations` and `scores` as lists of ids. */
export const LegacyTrace = trace
  .extend({ ...inProject, observations: z.array(z.string()), scores: z.array(z.string()) })
  .meta({ id: 'LegacyTrace' })

export const LegacyTraces = z.object({ data: z.array(LegacyTrace), meta: MetaResponse }).meta({ id: 'LegacyTraces' })

export const LegacyObservation = z
  .strictObject({
    id: z.string(),
    projectId: z.string(),
    traceId: optionalText,
    parentObservationId: optionalText,
    name: optionalText,
    type: z.string(),
    environment: z.string(),
    startTime: responseTime,
    endTime: responseTime.nullable(),
    version: optionalText,
    createdAt: responseTime,
    updatedAt: responseTime,
    input: z.unknown(),
    output: z.unknown(),
    metadata: z.unknown(),
    level: ObservationLevel,
    statusMessage: optionalText,
    model: optionalText,
    modelParameters: z.unknown(),
    completionStartTime: responseTime.nullable(),
    promptId: optionalText,
    promptName: optionalText,
    promptVersion: z.int().nullable(),
    usageDetails: recordOf(z.number()),
    costDetails: recordOf(z.number()),
    usage: z.object({ unit: z.literal('TOKENS'), input: z.number(), output: z.number(), total: z.number() }),
    unit: z.literal('TOKENS'),
    promptTokens: z.number(),
    completionTokens: z.number(),
    totalTokens: z.number(),
    usagePricingTierName: optionalText,
    usagePricingTierId: optionalText,
    modelId: optionalText,
    inputPrice: optionalNumber,
    outputPrice: optionalNumber,
    totalPrice: optionalNumber,
    calculatedInputCost: optionalNumber,
    calculatedOutputCost: optionalNumber,
    calculatedTotalCost: optionalNumber,
    /** Seconds. */
    latency: optionalNumber,
    timeToFirstToken: optionalNumber,
  })
  .meta({ id: 'LegacyObservation' })

export const LegacyObservations = z.object({ data: z.array(LegacyObservation), meta: MetaResponse }).meta({ id: 'LegacyObservations' })

const score = z.object({
  id: z.string(),
  projectId: z.string(),
  environment: z.string(),
  name: z.string(),
  source: ScoreSource,
  authorUserId: optionalText,
  comment: optionalText,
  metadata: recordOf(z.unknown()),
  configId: optionalText,
  queueId: optionalText,
  executionTraceId: optionalText,
  createdAt: responseTime,
  updatedAt: responseTime,
  timestamp: responseTime,
  dataType: ScoreDataType,
  /**
   * The number of a NUMERIC score. For a BOOLEAN score, it is 0 or 1. For a CATEGORICAL score, it is the number of the category. For a
   * CORRECTION, it is 0.
   */
  value: z.number().optional(),
  /** A BOOLEAN score has the text True or False here. A score of any other type has its label or text here. */
  stringValue: z.string().optional(),
})

export const ScoreV1 = score.extend({ traceId: z.string(), observationId: optionalText }).meta({ id: 'ScoreV1' })

export const ScoreV2 = score
  .extend({ traceId: optionalText, observationId: optionalText, sessionId: optionalText, datasetRunId: optionalText })
  .meta({ id: 'ScoreV2' })

const scoredTrace = z.object({
  userId: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  environment: z.string().nullish(),
})

export const ScoresV1 = z
  .object({ data: z.array(z.object({ ...ScoreV1.shape, trace: scoredTrace.optional() })), meta: MetaResponse })
  .meta({ id: 'ScoresV1' })

export const ScoresV2 = z
  .object({
    data: z.array(z.object({ ...ScoreV2.shape, trace: scoredTrace.extend({ sessionId: z.string().nullish() }).nullish() })),
    meta: MetaResponse,
  })
  .meta({ id: 'ScoresV2' })

export const LegacyTraceWithDetails = trace
  .extend({ ...inProject, observations: z.array(LegacyObservation), scores: z.array(ScoreV1) })
  .meta({ id: 'LegacyTraceWithDetails' })

const session = z.object({ id: z.string(), createdAt: responseTime, projectId: z.string(), environment: z.string() })

export const LegacySessions = z.object({ data: z.array(session), meta: MetaResponse }).meta({ id: 'LegacySessions' })

export const LegacySession = session.extend({ traces: z.array(trace) }).meta({ id: 'LegacySession' })

export const DatasetRun = z
  .object({
    id: z.string(),
    name: z.string(),
    description: optionalText,
    metadata: z.unknown(),
    datasetId: z.string(),
    datasetName: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'DatasetRun' })

export const DatasetRuns = z.object({ data: z.array(DatasetRun), meta: MetaResponse }).meta({ id: 'DatasetRuns' })

export const DatasetRunWithItems = DatasetRun.extend({ datasetRunItems: z.array(DatasetRunItem) }).meta({ id: 'DatasetRunWithItems' })

export const DatasetRunItems = z.object({ data: z.array(DatasetRunItem), meta: MetaResponse }).meta({ id: 'DatasetRunItems' })

const modelUsage = z.object({
  model: optionalText,
  inputUsage: z.number(),
  outputUsage: z.number(),
  totalUsage: z.number(),
  countTraces: z.int(),
  countObservations: z.int(),
  totalCost: z.number(),
})

export const DailyMetrics = z
  .object({
    data: z.array(
      z.object({
        date: z.string().meta({ format: 'date' }),
        countTraces: z.int(),
        countObservations: z.int(),
        totalCost: z.number(),
        usage: z.array(modelUsage),
      }),
    ),
    meta: MetaResponse,
  })
  .meta({ id: 'DailyMetrics' })
