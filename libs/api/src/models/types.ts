import { z } from 'zod'
import { isoTime, listOf, maxIdLength, recordOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const ModelTokenizerId = z.enum(['openai', 'claude']).meta({ id: 'ModelTokenizerId' })

export const ModelUsageUnit = z
  .enum(['CHARACTERS', 'TOKENS', 'MILLISECONDS', 'SECONDS', 'IMAGES', 'REQUESTS'])
  .meta({ id: 'ModelUsageUnit' })

export const PricingTierAttributeSource = z.enum(['model_parameters', 'metadata']).meta({ id: 'PricingTierAttributeSource' })

export const PricingTierAttributeCondition = z
  .object({
    source: PricingTierAttributeSource,
    key: storedName(200),
    operator: z.literal('in'),
    values: listOf(storedName(maxIdLength), { min: 1 }),
  })
  .meta({ id: 'PricingTierAttributeCondition' })

export const PricingTierOperator = z.enum(['gt', 'gte', 'lt', 'lte', 'eq', 'neq']).meta({ id: 'PricingTierOperator' })

export const PricingTierUsageConditionInput = z
  .object({
    usageDetailPattern: storedName(200),
    operator: PricingTierOperator,
    value: z.number().min(0),
    caseSensitive: z.boolean().nullish(),
  })
  .meta({ id: 'PricingTierUsageConditionInput' })

export const PricingTierConditionInput = z
  .union([PricingTierUsageConditionInput, PricingTierAttributeCondition])
  .meta({ id: 'PricingTierConditionInput' })

const maxUsageType = 200
/** A price in USD per unit, within the range of the store's decimals. */
const price = z.number().min(0).max(1e15)

/** The length of a name is counted without surrounding white space. */
const tierName = storedText.refine(text => text.trim().length >= 1 && text.trim().length <= 100, {
  message: 'Expected 1 to 100 characters.',
})

const pricesOfUsage = recordOf(price).superRefine((given, context) => {
  // `recordOf` has already reported a value that is not an object.
  if (typeof given !== 'object' || given === null) return
  const types = Object.keys(given)
  if (types.length === 0) context.addIssue({ code: 'custom', message: 'Expected a price for at least one usage type.' })
  const wrong = types.find(type => !storedName(maxUsageType).safeParse(type).success)
  if (wrong === undefined) return
  const message = `A usage type must have 1 to ${maxUsageType} characters and must not contain NUL characters.`
  context.addIssue({ code: 'custom', message, path: [wrong] })
})

export const PricingTierInput = z
  .object({
    name: tierName,
    isDefault: z.boolean().nullish(),
    priority: z.int().min(0).max(999),
    conditions: listOf(PricingTierConditionInput),
    prices: pricesOfUsage,
  })
  .meta({ id: 'PricingTierInput' })

export const CreateModelRequest = z
  .object({
    modelName: storedName(maxIdLength),
    matchPattern: storedName(2_000),
    startDate: isoTime.nullish(),
    /** Defaults to TOKENS. */
    unit: ModelUsageUnit.nullish(),
    inputPrice: price.nullish(),
    outputPrice: price.nullish(),
    totalPrice: price.nullish(),
    pricingTiers: listOf(PricingTierInput, { max: 100 }).nullish(),
    tokenizerId: ModelTokenizerId.nullish(),
    tokenizerConfig: z.unknown().optional(),
  })
  .superRefine(({ inputPrice, outputPrice, totalPrice, pricingTiers }, context) => {
    const isSet = (value: unknown) => value !== undefined && value !== null
    const isFlat = isSet(inputPrice) || isSet(outputPrice) || isSet(totalPrice)
    if (isFlat === isSet(pricingTiers))
      context.addIssue({ code: 'custom', message: 'Send either flat prices or pricingTiers, not both.', path: ['pricingTiers'] })
    if (isSet(totalPrice) && (isSet(inputPrice) || isSet(outputPrice)))
      context.addIssue({
        code: 'custom',
        message: 'If you send totalPrice, send neither inputPrice nor outputPrice.',
        path: ['totalPrice'],
      })
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

export const DeleteModelResponse = z.object({ message: z.string() }).meta({ id: 'DeleteModelResponse' })
