import { z } from 'zod'
import { isoTime, listOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { Creator, CursorMeta, isLegacy, PromptVariableMapping, PromptVariableMappingInput } from '../shared/types.ts'

export const EvaluationRuleEvaluatorAssignmentInput = z
  .object({
    evaluatorId: storedText,
    variableMapping: listOf(PromptVariableMappingInput).nullish(),
  })
  .meta({ id: 'EvaluationRuleEvaluatorAssignmentInput' })

export const EvaluationRuleArrayOptionsFilterOperator = z
  .enum(['any of', 'none of', 'all of'])
  .meta({ id: 'EvaluationRuleArrayOptionsFilterOperator' })

export const EvaluationRuleBooleanFilterOperator = z.enum(['=', '<>']).meta({ id: 'EvaluationRuleBooleanFilterOperator' })

export const EvaluationRuleNullFilterOperator = z.enum(['is null', 'is not null']).meta({ id: 'EvaluationRuleNullFilterOperator' })

export const EvaluationRuleNumberFilterOperator = z.enum(['=', '>', '<', '>=', '<=']).meta({ id: 'EvaluationRuleNumberFilterOperator' })

export const EvaluationRuleOptionsFilterOperator = z.enum(['any of', 'none of']).meta({ id: 'EvaluationRuleOptionsFilterOperator' })

export const EvaluationRuleStringFilterOperator = z
  .enum(['=', 'contains', 'does not contain', 'starts with', 'ends with'])
  .meta({ id: 'EvaluationRuleStringFilterOperator' })

export const EvaluationRuleStringObjectFilterOperator = z
  .enum(['=', 'contains', 'does not contain', 'starts with', 'ends with', 'is set', 'is not set'])
  .meta({ id: 'EvaluationRuleStringObjectFilterOperator' })

/** A condition on the text under one metadata key. */
export const MetadataTextFilter = z.object({
  type: z.literal('stringObject'),
  column: storedText,
  key: storedText,
  operator: EvaluationRuleStringObjectFilterOperator,
  value: storedText,
})

export const EvaluationRuleFilter = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('datetime'),
      column: storedText,
      operator: EvaluationRuleNumberFilterOperator,
      value: isoTime,
    }),
    z.object({
      type: z.literal('string'),
      column: storedText,
      operator: EvaluationRuleStringFilterOperator,
      value: storedText,
    }),
    z.object({
      type: z.literal('number'),
      column: storedText,
      operator: EvaluationRuleNumberFilterOperator,
      value: z.number(),
    }),
    z.object({
      type: z.literal('stringOptions'),
      column: storedText,
      operator: EvaluationRuleOptionsFilterOperator,
      value: listOf(storedText),
    }),
    z.object({
      type: z.literal('categoryOptions'),
      column: storedText,
      key: storedText,
      operator: EvaluationRuleOptionsFilterOperator,
      value: listOf(storedText),
    }),
    z.object({
      type: z.literal('arrayOptions'),
      column: storedText,
      operator: EvaluationRuleArrayOptionsFilterOperator,
      value: listOf(storedText),
    }),
    MetadataTextFilter,
    z.object({
      type: z.literal('numberObject'),
      column: storedText,
      key: storedText,
      operator: EvaluationRuleNumberFilterOperator,
      value: z.number(),
    }),
    z.object({
      type: z.literal('boolean'),
      column: storedText,
      operator: EvaluationRuleBooleanFilterOperator,
      value: z.boolean(),
    }),
    z.object({
      type: z.literal('null'),
      column: storedText,
      operator: EvaluationRuleNullFilterOperator,
      value: z.literal(''),
    }),
  ])
  .meta({ id: 'EvaluationRuleFilter' })

export const CreateEvaluationRuleRequest = z
  .object({
    name: storedName(255),
    enabled: z.boolean(),
    sampling: z.number().gt(0).max(1).optional(),
    filter: listOf(EvaluationRuleFilter, { max: 100 }).nullish(),
    evaluatorAssignments: listOf(EvaluationRuleEvaluatorAssignmentInput, { max: 100 }),
  })
  .meta({ id: 'CreateEvaluationRuleRequest' })

export const DeletedEvaluationRule = z
  .object({
    id: z.string(),
  })
  .meta({ id: 'DeletedEvaluationRule' })

export const EvaluationRuleReadFilterBase = z
  .object({
    type: z.string(),
    column: z.string(),
    operator: z.string(),
    value: z.unknown().optional(),
  })
  .meta({ id: 'EvaluationRuleReadFilterBase' })

export const EvaluationRuleReadFilterWithKey = z
  .object({
    type: z.string(),
    column: z.string(),
    operator: z.string(),
    value: z.unknown().optional(),
    key: z.string(),
  })
  .meta({ id: 'EvaluationRuleReadFilterWithKey' })

export const EvaluationRuleReadFilter = z
  .union([EvaluationRuleReadFilterWithKey, EvaluationRuleReadFilterBase])
  .meta({ id: 'EvaluationRuleReadFilter' })

export const EvaluatorAssignment = z
  .object({
    evaluatorId: z.string(),
    variableMapping: z.array(PromptVariableMapping).nullable(),
  })
  .meta({ id: 'EvaluatorAssignment' })

export const EvaluationRule = z
  .object({
    id: z.string(),
    name: z.string(),
    createdBy: Creator.nullable(),
    enabled: z.boolean(),
    sampling: z.number(),
    filter: z.array(EvaluationRuleReadFilter),
    evaluatorAssignments: z.array(EvaluatorAssignment),
    createdAt: responseTime,
    updatedAt: responseTime,
    isLegacy,
  })
  .meta({ id: 'EvaluationRule' })

export const EvaluationRulesPage = z
  .object({
    data: z.array(EvaluationRule),
    meta: CursorMeta,
  })
  .meta({ id: 'EvaluationRulesPage' })

export const UpdateEvaluationRuleRequest = z
  .object({
    name: storedName(255).nullish(),
    enabled: z.boolean().nullish(),
    sampling: z.number().gt(0).max(1).optional(),
    filter: listOf(EvaluationRuleFilter, { max: 100 }).nullish(),
    evaluatorAssignments: listOf(EvaluationRuleEvaluatorAssignmentInput, { max: 100 }).nullish(),
  })
  .meta({ id: 'UpdateEvaluationRuleRequest' })
