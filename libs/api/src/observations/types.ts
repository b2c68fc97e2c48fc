import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'
import { ObservationLevel } from '../shared/types.ts'

export const ObservationV2 = z
  .object({
    id: z.string(),
    traceId: z.string().nullable(),
    startTime: responseTime,
    endTime: responseTime.nullable(),
    projectId: z.string(),
    parentObservationId: z.string().nullable(),
    type: z.string(),
    isRootObservation: z.boolean().optional(),
    name: z.string().nullish(),
    level: ObservationLevel.optional(),
    statusMessage: z.string().nullish(),
    version: z.string().nullish(),
    environment: z.string().nullish(),
    bookmarked: z.boolean().optional(),
    public: z.boolean().optional(),
    userId: z.string().nullish(),
    sessionId: z.string().nullish(),
    completionStartTime: responseTime.nullish(),
    createdAt: responseTime.optional(),
    updatedAt: responseTime.optional(),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    metadata: recordOf(z.unknown()).optional(),
    model: z.string().nullish(),
    /** Older name of `model`, with the same value. */
    providedModelName: z.string().nullish(),
    internalModelId: z.string().nullish(),
    modelParameters: z.unknown().optional(),
    usageDetails: recordOf(z.int()).optional(),
    costDetails: recordOf(z.number()).optional(),
    totalCost: z.number().nullish(),
    usagePricingTierName: z.string().nullish(),
    promptId: z.string().nullish(),
    promptName: z.string().nullish(),
    promptVersion: z.int().nullish(),
    latency: z.number().nullish(),
    timeToFirstToken: z.number().nullish(),
    modelId: z.string().nullable(),
    inputPrice: z.string().nullable(),
    outputPrice: z.string().nullable(),
    totalPrice: z.string().nullable(),
    traceName: z.string().nullish(),
    tags: z.array(z.string()).nullish(),
    release: z.string().nullish(),
  })
  .meta({ id: 'ObservationV2' })

export const ObservationsV2Meta = z
  .object({
    cursor: z.string().nullish(),
  })
  .meta({ id: 'ObservationsV2Meta' })

export const ObservationsV2Response = z
  .object({
    data: z.array(ObservationV2),
    meta: ObservationsV2Meta,
  })
  .meta({ id: 'ObservationsV2Response' })
