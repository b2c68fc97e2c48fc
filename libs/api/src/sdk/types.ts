// Types that the client packages export and that differ from the server's schemas. The server's schemas decode and check values, and also
// accept the bodies of older clients. These types only describe the SDK and validate nothing.
import { z } from 'zod'
import { Dataset as StoredDataset } from '../datasets/types.ts'
import {
  EvaluationRuleStringFilterOperator,
  MetadataTextFilter,
  EvaluationRuleFilter as WireEvaluationRuleFilter,
} from '../evaluation-rules/types.ts'
import { recordOf } from '../fields/fields.ts'
import { ObservationV2 as StoredObservation } from '../observations/types.ts'
import { PromptMetaListResponse as WirePromptMetaListResponse } from '../prompts/types.ts'
import { ScoreDataType } from '../shared/types.ts'

export { EvaluationRuleStringObjectFilterOperator } from '../evaluation-rules/types.ts'

const optionalText = z.string().optional()
const json = z.unknown().optional()

export const CreateScoreValue = z.union([z.number(), z.string()]).meta({ id: 'CreateScoreValue' })

export const CreateScoreSource = z.enum(['API', 'ANNOTATION']).meta({ id: 'CreateScoreSource' })

export const CreateScoreRequest = z
  .object({
    id: optionalText,
    traceId: optionalText,
    sessionId: optionalText,
    observationId: optionalText,
    datasetRunId: optionalText,
    name: z.string(),
    value: CreateScoreValue,
    comment: optionalText,
    metadata: recordOf(z.unknown()).optional(),
    environment: optionalText,
    queueId: optionalText,
    dataType: ScoreDataType.optional(),
    configId: optionalText,
    source: CreateScoreSource.optional(),
    timestamp: optionalText,
  })
  .meta({ id: 'CreateScoreRequest' })

export const CreateScoreBatchResponse = z.object({ message: z.string() }).meta({ id: 'CreateScoreBatchResponse' })

export const ScoreBody = z
  .object({
    id: optionalText,
    traceId: optionalText,
    sessionId: optionalText,
    observationId: optionalText,
    datasetRunId: optionalText,
    name: z.string(),
    environment: optionalText,
    queueId: optionalText,
    value: CreateScoreValue,
    comment: optionalText,
    metadata: json,
    dataType: ScoreDataType.optional(),
    configId: optionalText,
  })
  .meta({ id: 'ScoreBody' })

export const BaseEvent = z.object({ id: z.string(), timestamp: z.string(), metadata: json }).meta({ id: 'BaseEvent' })

const scoreEvent = BaseEvent.extend({ body: ScoreBody })
export const ScoreEvent = scoreEvent.meta({ id: 'ScoreEvent' })

/** The published clients declare only events of the type `score-create` (contract §6). */
export const IngestionEvent = z
  .discriminatedUnion('type', [scoreEvent.extend({ type: z.literal('score-create') })])
  .meta({ id: 'IngestionEvent' })

export const IngestionRequest = z.object({ batch: z.array(IngestionEvent), metadata: json }).meta({ id: 'IngestionRequest' })

export const IngestionError = z
  .object({ id: z.string(), status: z.int(), message: optionalText, error: json })
  .meta({ id: 'IngestionError' })

export const CreateDatasetRequest = z
  .object({ name: z.string(), description: optionalText, metadata: json, inputSchema: json, expectedOutputSchema: json })
  .meta({ id: 'CreateDatasetRequest' })

/** Published clients declare both schemas as values of any type. */
export const Dataset = StoredDataset.extend({ inputSchema: z.unknown(), expectedOutputSchema: z.unknown() }).meta({ id: 'Dataset' })

export const ObservationV2 = StoredObservation.extend({ metadata: json }).meta({ id: 'ObservationV2' })

/** The server accepts more types than published clients declare. */
export const BlobStorageIntegrationType = z.enum(['S3', 'S3_COMPATIBLE', 'AZURE_BLOB_STORAGE']).meta({ id: 'BlobStorageIntegrationType' })

/** The server accepts more operators for a metadata key than published clients declare. */
export const EvaluationRuleFilter = z
  .discriminatedUnion('type', [
    MetadataTextFilter.extend({ operator: EvaluationRuleStringFilterOperator }),
    ...WireEvaluationRuleFilter.options.filter(variant => variant !== MetadataTextFilter),
  ])
  .meta({ id: 'EvaluationRuleFilter' })

export const CreateProjectRequest = z
  .object({ name: z.string(), metadata: recordOf(z.unknown()).optional(), retention: z.int() })
  .meta({ id: 'CreateProjectRequest' })

export const UpdateProjectRequest = z
  .object({ name: z.string(), metadata: recordOf(z.unknown()).optional(), retention: z.int().optional() })
  .meta({ id: 'UpdateProjectRequest' })

export const MapValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).meta({ id: 'MapValue' })

export const Usage = z
  .object({
    input: z.int(),
    output: z.int(),
    total: z.int(),
    unit: z.string().nullable(),
    inputCost: z.number().optional(),
    outputCost: z.number().optional(),
    totalCost: z.number().optional(),
  })
  .meta({ id: 'Usage' })

export const OpenAiUsage = z
  .object({ promptTokens: z.int().optional(), completionTokens: z.int().optional(), totalTokens: z.int().optional() })
  .meta({ id: 'OpenAiUsage' })

export const OpenAiCompletionUsageSchema = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: recordOf(z.int()).optional(),
    completion_tokens_details: recordOf(z.int()).optional(),
  })
  .meta({ id: 'OpenAiCompletionUsageSchema' })

export const OpenAiResponseUsageSchema = z
  .object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    total_tokens: z.int(),
    input_tokens_details: recordOf(z.int()).optional(),
    output_tokens_details: recordOf(z.int()).optional(),
  })
  .meta({ id: 'OpenAiResponseUsageSchema' })

export const UsageDetails = z
  .union([recordOf(z.int()), OpenAiCompletionUsageSchema, OpenAiResponseUsageSchema])
  .meta({ id: 'UsageDetails' })

export const EvaluatorOutputScoreType = z.enum(['NUMERIC', 'BOOLEAN', 'CATEGORICAL']).meta({ id: 'EvaluatorOutputScoreType' })

export const EvaluatorType = z.enum(['llm_as_judge', 'code']).meta({ id: 'EvaluatorType' })

export const PublicApiErrorCode = z
  .enum([
    'authentication_failed',
    'access_denied',
    'invalid_request',
    'invalid_query',
    'invalid_body',
    'resource_not_found',
    'conflict',
    'rate_limited',
    'method_not_allowed',
    'internal_error',
  ])
  .meta({ id: 'PublicApiErrorCode' })

export const PublicApiValidationIssue = z
  .object({ code: z.string(), message: z.string(), path: z.array(z.union([z.string(), z.number()])) })
  .meta({ id: 'PublicApiValidationIssue' })

export const PublicApiErrorDetails = z
  .object({
    issues: z.array(PublicApiValidationIssue).optional(),
    retryAfterSeconds: z.number().optional(),
    limit: z.number().optional(),
    remaining: z.number().optional(),
    resetAt: optionalText,
    field: optionalText,
    column: optionalText,
    invalidValues: z.array(z.unknown()).optional(),
    allowedValues: z.array(z.unknown()).optional(),
    value: json,
  })
  .meta({ id: 'PublicApiErrorDetails' })

/** Error body of evaluators, of evaluation rules and of all unstable operations. */
export const PublicApiError = z
  .object({ message: z.string(), code: PublicApiErrorCode, details: PublicApiErrorDetails.optional() })
  .meta({ id: 'PublicApiError' })

/** Omits `pagination`, which repeats `meta` for older clients. */
export const PromptMetaListResponse = WirePromptMetaListResponse.omit({ pagination: true }).meta({ id: 'PromptMetaListResponse' })
