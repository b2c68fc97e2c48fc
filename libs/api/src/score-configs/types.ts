import { z } from 'zod'
import { listOf, responseTime, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

/** The pattern allows letters of any script, such as Latin, Greek or Chinese letters. */
const configName = z
  .string()
  .regex(/^[\p{L}\p{N}_ .()-]{1,35}$/u, { message: 'Expected 1 to 35 characters: letters, digits, spaces and _ . ( ) -' })

export const ConfigCategory = z
  .object({
    value: z.number(),
    label: storedText,
  })
  .meta({ id: 'ConfigCategory' })

export const ScoreConfigDataType = z.enum(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT']).meta({ id: 'ScoreConfigDataType' })

export const CreateScoreConfigRequest = z
  .object({
    name: configName,
    dataType: ScoreConfigDataType,
    categories: listOf(ConfigCategory).nullish(),
    minValue: z.number().nullish(),
    maxValue: z.number().nullish(),
    description: storedText.nullish(),
  })
  .meta({ id: 'CreateScoreConfigRequest' })

export const ScoreConfig = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    projectId: z.string(),
    dataType: ScoreConfigDataType,
    isArchived: z.boolean(),
    minValue: z.number().nullish(),
    maxValue: z.number().nullish(),
    categories: z.array(ConfigCategory).nullish(),
    description: z.string().nullish(),
  })
  .meta({ id: 'ScoreConfig' })

export const ScoreConfigs = z
  .object({
    data: z.array(ScoreConfig),
    meta: MetaResponse,
  })
  .meta({ id: 'ScoreConfigs' })

export const UpdateScoreConfigRequest = z
  .object({
    isArchived: z.boolean().nullish(),
    name: configName.nullish(),
    categories: listOf(ConfigCategory).nullish(),
    minValue: z.number().nullish(),
    maxValue: z.number().nullish(),
    description: storedText.nullish(),
  })
  .refine(change => Object.values(change).some(value => value !== undefined), { message: 'The request must change at least one field.' })
  .meta({ id: 'UpdateScoreConfigRequest' })
