// Types of the wire of models.
import { z } from 'zod'
import { isoTime, listOf, recordOf, responseTime, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const ModelTokenizerId = z.enum(['openai', 'claude']).meta({ id: 'ModelTokenizerId' })

export const ModelUsageUnit = z
  .enum(['CHARACTERS', 'TOKENS', 'MILLISECONDS', 'SECONDS', 'IMAGES', 'REQUESTS'])
  .meta({ id: 'ModelUsageUnit' })

export const PricingTierAttributeSource = z.enum(['model_parameters', 'metadata']).meta({ id: 'PricingTierAttributeSource' })

export const PricingTierAttributeCondition = z
  .object({
    source: PricingTierAttributeSource,
    key: storedText,
    operator: z.literal('in'),
    values: listOf(storedText),
  })
  .meta({ id: 'PricingTierAttributeCondition' })

export const PricingTierOperator = z.enum(['gt', 'gte', 'lt', 'lte', 'eq', 'neq']).meta({ id: 'PricingTierOperator' })

export const PricingTierUsageConditionInput = z
  .object({
    usageDetailPattern: storedText,
    operator: PricingTierOperator,
    value: z.number(),
    caseSensitive: z.boolean().nullish(),
  })
  .meta({ id: 'PricingTierUsageConditionInput' })

export const PricingTierConditionInput = z
  .union([PricingTierUsageConditionInput, PricingTierAttributeCondition])
  .meta({ id: 'PricingTierConditionInput' })

export const PricingTierInput = z
  .object({
    name: storedText,
    isDefault: z.boolean().nullish(),
    priority: z.int(),
    conditions: listOf(PricingTierConditionInput),
    prices: recordOf(z.number()),
  })
  .meta({ id: 'PricingTierInput' })

export const CreateModelRequest = z
  .object({
    modelName: storedText,
    matchPattern: storedText,
    startDate: isoTime.nullish(),
    unit: ModelUsageUnit,
    inputPrice: z.number().nullish(),
    outputPrice: z.number().nullish(),
    totalPrice: z.number().nullish(),
    pricingTiers: listOf(PricingTierInput).nullish(),
    tokenizerId: ModelTokenizerId.nullish(),
    tokenizerConfig: z.unknown().optional(),
  })
  .meta({ id: 'CreateModelRequest' })

export const ModelPrice = z
  .object({
    price: z.number(),
  })
  .meta({ id: 'ModelPrice' })

export const PricingTierUsageCondition = z
  .object({
    usageDetailPattern: z.string(),
    operator: PricingTierOperator,
    value: z.number(),
    caseSensitive: z.boolean(),
  })
  .meta({ id: 'PricingTierUsageCondition' })

export const PricingTierCondition = z.union([PricingTierUsageCondition, PricingTierAttributeCondition]).meta({ id: 'PricingTierCondition' })

export const PricingTier = z
  .object({
    id: z.string(),
    name: z.string(),
    isDefault: z.boolean(),
    priority: z.int(),
    conditions: z.array(PricingTierCondition),
    prices: recordOf(z.number()),
  })
  .meta({ id: 'PricingTier' })

export const Model = z
  .object({
    id: z.string(),
    modelName: z.string(),
    matchPattern: z.string(),
    startDate: responseTime.nullable(),
    unit: ModelUsageUnit.nullish(),
    inputPrice: z.number().nullable(),
    outputPrice: z.number().nullable(),
    totalPrice: z.number().nullable(),
    tokenizerId: z.string().nullable(),
    tokenizerConfig: z.unknown(),
    isSvcManaged: z.boolean(),
    createdAt: responseTime,
    prices: recordOf(ModelPrice),
    pricingTiers: z.array(PricingTier),
  })
  .meta({ id: 'Model' })

export const PaginatedModels = z
  .object({
    data: z.array(Model),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedModels' })
