import { z } from 'zod'
import { listOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import {
  Creator,
  CursorMeta,
  isLegacy,
  PromptVariableMapping,
  PromptVariableMappingInput,
  PromptVariableMappingRead,
} from '../shared/types.ts'

export const CodeEvaluatorSourceCodeLanguage = z.enum(['PYTHON', 'TYPESCRIPT']).meta({ id: 'CodeEvaluatorSourceCodeLanguage' })

export const EvaluatorChatMessageRole = z.enum(['system', 'user', 'assistant']).meta({ id: 'EvaluatorChatMessageRole' })

export const EvaluatorChatMessage = z
  .object({
    role: EvaluatorChatMessageRole,
    content: storedText,
  })
  .meta({ id: 'EvaluatorChatMessage' })

export const EvaluatorChatPrompt = listOf(EvaluatorChatMessage, { min: 1, max: 200, message: 'Expected 1 to 200 messages.' }).meta({
  id: 'EvaluatorChatPrompt',
})

export const EvaluatorChatPromptInput = z.union([storedName(1_000_000), EvaluatorChatPrompt]).meta({ id: 'EvaluatorChatPromptInput' })

export const EvaluatorModelConfig = z
  .object({
    provider: storedName(200),
    model: storedName(500),
  })
  .meta({ id: 'EvaluatorModelConfig' })

export const EvaluatorOutputDefinition = z
  .discriminatedUnion('dataType', [
    z.object({
      dataType: z.literal('NUMERIC'),
      minValue: z.number().nullish(),
      maxValue: z.number().nullish(),
      scoreReasoningInstructions: storedText.nullish(),
      scoreValueInstructions: storedText.nullish(),
    }),
    z.object({
      dataType: z.literal('BOOLEAN'),
      scoreReasoningInstructions: storedText.nullish(),
      scoreValueInstructions: storedText.nullish(),
    }),
    z.object({
      dataType: z.literal('CATEGORICAL'),
      categories: listOf(storedName(500), { min: 2, max: 1_000, message: 'Expected at least 2 categories.' }),
      shouldAllowMultipleMatches: z.boolean(),
      scoreReasoningInstructions: storedText.nullish(),
      scoreValueInstructions: storedText.nullish(),
    }),
  ])
  .meta({ id: 'EvaluatorOutputDefinition' })

export const CreateEvaluatorRequest = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('llm_as_judge'),
      name: storedName(255),
      description: storedText.nullish(),
      prompt: EvaluatorChatPromptInput,
      modelConfig: EvaluatorModelConfig.nullish(),
      variableMapping: listOf(PromptVariableMappingInput).nullish(),
      outputDefinition: EvaluatorOutputDefinition,
    }),
    z.object({
      type: z.literal('code'),
      name: storedName(255),
      description: storedText.nullish(),
      sourceCode: storedName(262_144),
      sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage,
    }),
  ])
  .meta({ id: 'CreateEvaluatorRequest' })

export const DeletedEvaluator = z
  .object({
    id: z.string(),
  })
  .meta({ id: 'DeletedEvaluator' })

export const EvaluationRuleAssignment = z
  .object({
    evaluationRuleId: z.string(),
    variableMappingOverride: z.array(PromptVariableMapping).nullish(),
  })
  .meta({ id: 'EvaluationRuleAssignment' })

export const EvaluatorStatus = z.enum(['active', 'paused']).meta({ id: 'EvaluatorStatus' })

export const PublicEvaluatorOutputDefinition = z
  .discriminatedUnion('dataType', [
    z.object({
      dataType: z.literal('NUMERIC'),
      minValue: z.number().optional(),
      maxValue: z.number().optional(),
      scoreReasoningInstructions: z.string().optional(),
      scoreValueInstructions: z.string().optional(),
    }),
    z.object({
      dataType: z.literal('BOOLEAN'),
      scoreReasoningInstructions: z.string().optional(),
      scoreValueInstructions: z.string().optional(),
    }),
    z.object({
      dataType: z.literal('CATEGORICAL'),
      categories: z.array(z.string()),
      shouldAllowMultipleMatches: z.boolean(),
      scoreReasoningInstructions: z.string().optional(),
      scoreValueInstructions: z.string().optional(),
    }),
  ])
  .meta({ id: 'PublicEvaluatorOutputDefinition' })

export const Evaluator = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('llm_as_judge'),
      prompt: EvaluatorChatPrompt,
      variables: z.array(z.string()),
      variableMapping: z.array(PromptVariableMappingRead).nullable(),
      modelConfig: EvaluatorModelConfig.nullable(),
      outputDefinition: PublicEvaluatorOutputDefinition,
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      createdBy: Creator.nullable(),
      status: EvaluatorStatus,
      pausedAt: responseTime.nullable(),
      pausedReason: z.string().nullable(),
      pausedMessage: z.string().nullable(),
      evaluationRuleAssignments: z.array(EvaluationRuleAssignment),
      createdAt: responseTime,
      updatedAt: responseTime,
      versionId: z.string(),
      version: z.int(),
      versionCreatedAt: responseTime,
      versionCreatedBy: Creator.nullable(),
      isLegacy,
    }),
    z.object({
      type: z.literal('code'),
      sourceCode: z.string(),
      sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage,
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      createdBy: Creator.nullable(),
      status: EvaluatorStatus,
      pausedAt: responseTime.nullable(),
      pausedReason: z.string().nullable(),
      pausedMessage: z.string().nullable(),
      evaluationRuleAssignments: z.array(EvaluationRuleAssignment),
      createdAt: responseTime,
      updatedAt: responseTime,
      versionId: z.string(),
      version: z.int(),
      versionCreatedAt: responseTime,
      versionCreatedBy: Creator.nullable(),
      isLegacy,
    }),
  ])
  .meta({ id: 'Evaluator' })

export const EvaluatorVersion = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('llm_as_judge'),
      prompt: EvaluatorChatPrompt,
      variables: z.array(z.string()),
      variableMapping: z.array(PromptVariableMappingRead).nullable(),
      modelConfig: EvaluatorModelConfig.nullable(),
      outputDefinition: PublicEvaluatorOutputDefinition,
      id: z.string(),
      version: z.int(),
      createdAt: responseTime,
      createdBy: Creator.nullable(),
    }),
    z.object({
      type: z.literal('code'),
      sourceCode: z.string(),
      sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage,
      id: z.string(),
      version: z.int(),
      createdAt: responseTime,
      createdBy: Creator.nullable(),
    }),
  ])
  .meta({ id: 'EvaluatorVersion' })

export const EvaluatorVersionsPage = z
  .object({
    data: z.array(EvaluatorVersion),
    meta: CursorMeta,
  })
  .meta({ id: 'EvaluatorVersionsPage' })

export const EvaluatorsPage = z
  .object({
    data: z.array(Evaluator),
    meta: CursorMeta,
  })
  .meta({ id: 'EvaluatorsPage' })

export const UpdateCodeEvaluatorRequest = z
  .object({
    name: storedName(255).nullish(),
    description: storedText.nullish(),
    type: z.literal('code'),
    sourceCode: storedName(262_144),
    sourceCodeLanguage: CodeEvaluatorSourceCodeLanguage,
  })
  .meta({ id: 'UpdateCodeEvaluatorRequest' })

/** A body with the field `type` requests a new definition, not only new metadata. The handler validates the fields of the definition. */
export const UpdateEvaluatorMetadataRequest = z
  .looseObject({
    name: storedName(255).nullish(),
    description: storedText.nullish(),
  })
  .meta({ id: 'UpdateEvaluatorMetadataRequest' })

export const UpdateLlmAsJudgeEvaluatorRequest = z
  .object({
    name: storedName(255).nullish(),
    description: storedText.nullish(),
    type: z.literal('llm_as_judge'),
    prompt: EvaluatorChatPromptInput,
    modelConfig: EvaluatorModelConfig.nullish(),
    variableMapping: listOf(PromptVariableMappingInput).nullish(),
    outputDefinition: EvaluatorOutputDefinition,
  })
  .meta({ id: 'UpdateLlmAsJudgeEvaluatorRequest' })

export const UpdateEvaluatorRequest = z
  .union([UpdateLlmAsJudgeEvaluatorRequest, UpdateCodeEvaluatorRequest, UpdateEvaluatorMetadataRequest])
  .meta({ id: 'UpdateEvaluatorRequest' })
