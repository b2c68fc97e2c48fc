// Types that several namespaces share.
import { z } from 'zod'
import { recordOf, responseTime, storedText } from '../fields/fields.ts'

export const CreateScoreValue = z.union([z.number(), storedText]).meta({ id: 'CreateScoreValue' })

export const Creator = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
  })
  .meta({ id: 'Creator' })

/**
 * True for an evaluator or rule of v3 that evaluates whole traces or v3's datasets. A legacy evaluator or rule stops at the cutover
 * (the switch to the write mode `events_only`, contract §9.4.7). The field is absent for all other evaluators and rules.
 */
export const isLegacy = z.boolean().optional()

export const CursorMeta = z
  .object({
    cursor: z.string().nullish(),
  })
  .meta({ id: 'CursorMeta' })

export const DashboardWidgetFilter = z
  .object({
    column: storedText,
    operator: storedText,
    type: storedText,
    value: z.unknown().optional(),
    key: storedText.nullish(),
  })
  .meta({ id: 'DashboardWidgetFilter' })

export const LegacyEvaluationObject = z
  .enum([
    'trace',
    'span',
    'generation',
    'event',
    'agent',
    'tool',
    'chain',
    'retriever',
    'evaluator',
    'embedding',
    'guardrail',
    'dataset_item',
  ])
  .meta({ id: 'LegacyEvaluationObject' })

export const LegacyPromptVariableMapping = z
  .object({
    mappingType: z.literal('legacy'),
    variable: z.string(),
    svcObject: LegacyEvaluationObject,
    objectName: z.string().nullable(),
    source: z.string(),
    jsonPath: z.string().optional(),
  })
  .meta({ id: 'LegacyPromptVariableMapping' })

export const MetaResponse = z
  .object({
    page: z.int(),
    limit: z.int(),
    totalItems: z.int(),
    totalPages: z.int(),
  })
  .meta({ id: 'MetaResponse' })

export const ObservationLevel = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']).meta({ id: 'ObservationLevel' })

export const PromptVariableMappingRead = z
  .object({
    variable: z.string(),
    source: z.string().nullable(),
    jsonPath: z.string().optional(),
  })
  .meta({ id: 'PromptVariableMappingRead' })

export const PromptVariableMapping = z.union([PromptVariableMappingRead, LegacyPromptVariableMapping]).meta({ id: 'PromptVariableMapping' })

export const PromptVariableMappingSource = z
  .enum(['input', 'output', 'metadata', 'tool_calls', 'expected_output', 'experiment_item_metadata'])
  .meta({ id: 'PromptVariableMappingSource' })

export const PromptVariableMappingInput = z
  .object({
    variable: storedText,
    source: PromptVariableMappingSource,
    jsonPath: storedText.nullish(),
  })
  .meta({ id: 'PromptVariableMappingInput' })

export const ScoreDataType = z.enum(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'CORRECTION', 'TEXT']).meta({ id: 'ScoreDataType' })

export const ScoreSource = z.enum(['ANNOTATION', 'API', 'EVAL']).meta({ id: 'ScoreSource' })

export const ScoreSubjectV3 = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('trace'),
      id: z.string(),
    }),
    z.object({
      kind: z.literal('observation'),
      id: z.string(),
      traceId: z.string().optional(),
    }),
    z.object({
      kind: z.literal('session'),
      id: z.string(),
    }),
    z.object({
      kind: z.literal('experiment'),
      id: z.string(),
    }),
  ])
  .meta({ id: 'ScoreSubjectV3' })

/** The fields of a score that do not depend on its data type. */
const scoreFields = {
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  source: ScoreSource,
  timestamp: responseTime,
  environment: z.string(),
  createdAt: responseTime,
  updatedAt: responseTime,
  comment: z.string().nullish(),
  configId: z.string().nullish(),
  metadata: recordOf(z.unknown()).optional(),
  authorUserId: z.string().nullish(),
  queueId: z.string().nullish(),
  subject: ScoreSubjectV3.optional(),
}

export const ScoreV3 = z
  .discriminatedUnion('dataType', [
    z.object({
      dataType: z.literal('NUMERIC'),
      value: z.number(),
      ...scoreFields,
    }),
    z.object({
      dataType: z.literal('BOOLEAN'),
      value: z.boolean(),
      ...scoreFields,
    }),
    z.object({
      dataType: z.literal('CATEGORICAL'),
      value: z.string(),
      ...scoreFields,
    }),
    z.object({
      dataType: z.literal('TEXT'),
      value: z.string(),
      ...scoreFields,
    }),
    z.object({
      dataType: z.literal('CORRECTION'),
      value: z.string(),
      ...scoreFields,
    }),
  ])
  .meta({ id: 'ScoreV3' })
