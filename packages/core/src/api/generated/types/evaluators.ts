// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { Creator, CursorMeta, PromptVariableMapping, PromptVariableMappingInput, PromptVariableMappingRead } from './commons.ts'

export const CodeEvaluatorSourceCodeLanguage = {
  Python: 'PYTHON',
  Typescript: 'TYPESCRIPT',
} as const
export type CodeEvaluatorSourceCodeLanguage = (typeof CodeEvaluatorSourceCodeLanguage)[keyof typeof CodeEvaluatorSourceCodeLanguage]

export interface CreateLlmAsJudgeEvaluatorRequest {
  type: 'llm_as_judge'
  name: string
  description?: string | null | undefined
  prompt: EvaluatorChatPromptInput
  modelConfig?: EvaluatorModelConfig | null | undefined
  variableMapping?: PromptVariableMappingInput[] | null | undefined
  outputDefinition: EvaluatorOutputDefinition
}

export interface CreateCodeEvaluatorRequest {
  type: 'code'
  name: string
  description?: string | null | undefined
  sourceCode: string
  sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage
}

export type CreateEvaluatorRequest =
  | CreateLlmAsJudgeEvaluatorRequest
  | CreateCodeEvaluatorRequest

export interface DeletedEvaluator {
  id: string
}

export interface EvaluationRuleAssignment {
  evaluationRuleId: string
  variableMappingOverride?: PromptVariableMapping[] | undefined
}

export interface EvaluatorBase {
  id: string
  name: string
  description: string | null
  createdBy: Creator | null
  status: EvaluatorStatus
  pausedAt: string | null
  pausedReason: string | null
  pausedMessage: string | null
  evaluationRuleAssignments: EvaluationRuleAssignment[]
  createdAt: string
  updatedAt: string
  versionId: string
  version: number
  versionCreatedAt: string
  versionCreatedBy: Creator | null
  isLegacy?: boolean | undefined
}

export interface LlmAsJudgeEvaluator extends EvaluatorBase {
  type: 'llm_as_judge'
  prompt: EvaluatorChatPrompt
  variables: string[]
  variableMapping: PromptVariableMappingRead[] | null
  modelConfig: EvaluatorModelConfig | null
  outputDefinition: PublicEvaluatorOutputDefinition
}

export interface CodeEvaluator extends EvaluatorBase {
  type: 'code'
  sourceCode: string
  sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage
}

export type Evaluator =
  | LlmAsJudgeEvaluator
  | CodeEvaluator

export interface EvaluatorChatMessage {
  role: EvaluatorChatMessageRole
  content: string
}

export const EvaluatorChatMessageRole = {
  System: 'system',
  User: 'user',
  Assistant: 'assistant',
} as const
export type EvaluatorChatMessageRole = (typeof EvaluatorChatMessageRole)[keyof typeof EvaluatorChatMessageRole]

export type EvaluatorChatPrompt = EvaluatorChatMessage[]

export type EvaluatorChatPromptInput = string | EvaluatorChatPrompt

export interface EvaluatorModelConfig {
  provider: string
  model: string
}

export interface EvaluatorOutputDefinitionBase {
  scoreReasoningInstructions?: string | undefined
  scoreValueInstructions?: string | undefined
}

export interface PublicEvaluatorNumericScore extends EvaluatorOutputDefinitionBase {
  dataType: 'NUMERIC'
  minValue?: number | undefined
  maxValue?: number | undefined
}

export interface PublicEvaluatorBooleanScore extends EvaluatorOutputDefinitionBase {
  dataType: 'BOOLEAN'
}

export interface PublicEvaluatorCategoricalScore extends EvaluatorOutputDefinitionBase {
  dataType: 'CATEGORICAL'
  categories: string[]
  shouldAllowMultipleMatches: boolean
}

export type EvaluatorOutputDefinition =
  | PublicEvaluatorNumericScore
  | PublicEvaluatorBooleanScore
  | PublicEvaluatorCategoricalScore

export const EvaluatorStatus = {
  Active: 'active',
  Paused: 'paused',
} as const
export type EvaluatorStatus = (typeof EvaluatorStatus)[keyof typeof EvaluatorStatus]

export interface EvaluatorVersionBase {
  id: string
  version: number
  createdAt: string
  createdBy: Creator | null
}

export interface LlmAsJudgeEvaluatorVersion extends EvaluatorVersionBase {
  type: 'llm_as_judge'
  prompt: EvaluatorChatPrompt
  variables: string[]
  variableMapping: PromptVariableMappingRead[] | null
  modelConfig: EvaluatorModelConfig | null
  outputDefinition: PublicEvaluatorOutputDefinition
}

export interface CodeEvaluatorVersion extends EvaluatorVersionBase {
  type: 'code'
  sourceCode: string
  sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage
}

export type EvaluatorVersion =
  | LlmAsJudgeEvaluatorVersion
  | CodeEvaluatorVersion

export interface EvaluatorVersionsPage {
  data: EvaluatorVersion[]
  meta: CursorMeta
}

export interface EvaluatorsPage {
  data: Evaluator[]
  meta: CursorMeta
}

export interface ListEvaluatorVersionsRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface ListEvaluatorsRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export type PublicEvaluatorOutputDefinition = EvaluatorOutputDefinition

export interface UpdateCodeEvaluatorRequest {
  name?: string | undefined
  description?: string | null | undefined
  type: 'code'
  sourceCode: string
  sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage
}

export interface UpdateEvaluatorMetadataRequest {
  name?: string | undefined
  description?: string | null | undefined
}

export type UpdateEvaluatorRequest = UpdateLlmAsJudgeEvaluatorRequest | UpdateCodeEvaluatorRequest | UpdateEvaluatorMetadataRequest

export interface UpdateLlmAsJudgeEvaluatorRequest {
  name?: string | undefined
  description?: string | null | undefined
  type: 'llm_as_judge'
  prompt: EvaluatorChatPromptInput
  modelConfig?: EvaluatorModelConfig | null | undefined
  variableMapping?: PromptVariableMappingInput[] | null | undefined
  outputDefinition: EvaluatorOutputDefinition
}
