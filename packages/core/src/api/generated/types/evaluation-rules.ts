// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { Creator, CursorMeta, PromptVariableMapping, PromptVariableMappingInput } from './commons.ts'

export interface CreateEvaluationRuleRequest {
  name: string
  enabled: boolean
  sampling?: number | undefined
  filter?: EvaluationRuleFilter[] | undefined
  evaluatorAssignments: EvaluationRuleEvaluatorAssignmentInput[]
}

export interface DeletedEvaluationRule {
  id: string
}

export interface EvaluationRule {
  id: string
  name: string
  createdBy: Creator | null
  enabled: boolean
  sampling: number
  filter: EvaluationRuleReadFilter[]
  evaluatorAssignments: EvaluatorAssignment[]
  createdAt: string
  updatedAt: string
  isLegacy?: boolean | undefined
}

export const EvaluationRuleArrayOptionsFilterOperator = {
  AnyOf: 'any of',
  NoneOf: 'none of',
  AllOf: 'all of',
} as const
export type EvaluationRuleArrayOptionsFilterOperator = (typeof EvaluationRuleArrayOptionsFilterOperator)[keyof typeof EvaluationRuleArrayOptionsFilterOperator]

export const EvaluationRuleBooleanFilterOperator = {
  Equals: '=',
  NotEquals: '<>',
} as const
export type EvaluationRuleBooleanFilterOperator = (typeof EvaluationRuleBooleanFilterOperator)[keyof typeof EvaluationRuleBooleanFilterOperator]

export interface EvaluationRuleEvaluatorAssignmentInput {
  evaluatorId: string
  variableMapping?: PromptVariableMappingInput[] | null | undefined
}

export interface StringObjectEvaluationRuleFilter {
  column: string
  key: string
  operator: EvaluationRuleStringFilterOperator
  value: string
}

export interface DateTimeEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleNumberFilterOperator
  value: string
}

export interface StringEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleStringFilterOperator
  value: string
}

export interface NumberEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleNumberFilterOperator
  value: number
}

export interface StringOptionsEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleOptionsFilterOperator
  value: string[]
}

export interface CategoryOptionsEvaluationRuleFilter {
  column: string
  key: string
  operator: EvaluationRuleOptionsFilterOperator
  value: string[]
}

export interface ArrayOptionsEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleArrayOptionsFilterOperator
  value: string[]
}

export interface NumberObjectEvaluationRuleFilter {
  column: string
  key: string
  operator: EvaluationRuleNumberFilterOperator
  value: number
}

export interface BooleanEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleBooleanFilterOperator
  value: boolean
}

export interface NullEvaluationRuleFilter {
  column: string
  operator: EvaluationRuleNullFilterOperator
  value: ''
}

export type EvaluationRuleFilter =
  | ({ type: 'stringObject' } & StringObjectEvaluationRuleFilter)
  | ({ type: 'datetime' } & DateTimeEvaluationRuleFilter)
  | ({ type: 'string' } & StringEvaluationRuleFilter)
  | ({ type: 'number' } & NumberEvaluationRuleFilter)
  | ({ type: 'stringOptions' } & StringOptionsEvaluationRuleFilter)
  | ({ type: 'categoryOptions' } & CategoryOptionsEvaluationRuleFilter)
  | ({ type: 'arrayOptions' } & ArrayOptionsEvaluationRuleFilter)
  | ({ type: 'numberObject' } & NumberObjectEvaluationRuleFilter)
  | ({ type: 'boolean' } & BooleanEvaluationRuleFilter)
  | ({ type: 'null' } & NullEvaluationRuleFilter)

export const EvaluationRuleNullFilterOperator = {
  IsNull: 'is null',
  IsNotNull: 'is not null',
} as const
export type EvaluationRuleNullFilterOperator = (typeof EvaluationRuleNullFilterOperator)[keyof typeof EvaluationRuleNullFilterOperator]

export const EvaluationRuleNumberFilterOperator = {
  Equals: '=',
  GreaterThan: '>',
  LessThan: '<',
  GreaterThanOrEqual: '>=',
  LessThanOrEqual: '<=',
} as const
export type EvaluationRuleNumberFilterOperator = (typeof EvaluationRuleNumberFilterOperator)[keyof typeof EvaluationRuleNumberFilterOperator]

export const EvaluationRuleOptionsFilterOperator = {
  AnyOf: 'any of',
  NoneOf: 'none of',
} as const
export type EvaluationRuleOptionsFilterOperator = (typeof EvaluationRuleOptionsFilterOperator)[keyof typeof EvaluationRuleOptionsFilterOperator]

export type EvaluationRuleReadFilter = EvaluationRuleReadFilterWithKey | EvaluationRuleReadFilterBase

export interface EvaluationRuleReadFilterBase {
  type: string
  column: string
  operator: string
  value?: unknown
}

export interface EvaluationRuleReadFilterWithKey {
  type: string
  column: string
  operator: string
  value?: unknown
  key: string
}

export const EvaluationRuleStringFilterOperator = {
  Equals: '=',
  Contains: 'contains',
  DoesNotContain: 'does not contain',
  StartsWith: 'starts with',
  EndsWith: 'ends with',
} as const
export type EvaluationRuleStringFilterOperator = (typeof EvaluationRuleStringFilterOperator)[keyof typeof EvaluationRuleStringFilterOperator]

export interface EvaluationRulesPage {
  data: EvaluationRule[]
  meta: CursorMeta
}

export interface EvaluatorAssignment {
  evaluatorId: string
  variableMapping: PromptVariableMapping[] | null
}

export interface ListEvaluationRulesRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface UpdateEvaluationRuleRequest {
  name?: string | undefined
  enabled?: boolean | undefined
  sampling?: number | undefined
  filter?: EvaluationRuleFilter[] | undefined
  evaluatorAssignments?: EvaluationRuleEvaluatorAssignmentInput[] | undefined
}
