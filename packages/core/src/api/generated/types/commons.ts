// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface BaseEvent {
  id: string
  timestamp: string
  metadata?: unknown
}

export interface ChatMessage {
  role: string
  content: string
  type?: ChatMessageType | undefined
}

export const ChatMessageType = {
  Chatmessage: 'chatmessage',
} as const
export type ChatMessageType = (typeof ChatMessageType)[keyof typeof ChatMessageType]

export type ChatMessageWithPlaceholders = ChatMessage | PlaceholderMessage

export interface CreateScoreRequest {
  id?: string | undefined
  traceId?: string | undefined
  sessionId?: string | undefined
  observationId?: string | undefined
  datasetRunId?: string | undefined
  name: string
  value: CreateScoreValue
  comment?: string | undefined
  metadata?: Record<string, unknown> | undefined
  environment?: string | undefined
  queueId?: string | undefined
  dataType?: ScoreDataType | undefined
  configId?: string | undefined
  source?: CreateScoreSource | undefined
  timestamp?: string | undefined
}

export const CreateScoreSource = {
  Api: 'API',
  Annotation: 'ANNOTATION',
} as const
export type CreateScoreSource = (typeof CreateScoreSource)[keyof typeof CreateScoreSource]

export type CreateScoreValue = number | string

export interface Creator {
  id: string
  name: string | null
}

export interface CursorMeta {
  cursor?: string | undefined
}

export const EvaluationRuleStringObjectFilterOperator = {
  Equals: '=',
  Contains: 'contains',
  DoesNotContain: 'does not contain',
  StartsWith: 'starts with',
  EndsWith: 'ends with',
  IsSet: 'is set',
  IsNotSet: 'is not set',
} as const
export type EvaluationRuleStringObjectFilterOperator = (typeof EvaluationRuleStringObjectFilterOperator)[keyof typeof EvaluationRuleStringObjectFilterOperator]

export const EvaluatorOutputScoreType = {
  Numeric: 'NUMERIC',
  Boolean: 'BOOLEAN',
  Categorical: 'CATEGORICAL',
} as const
export type EvaluatorOutputScoreType = (typeof EvaluatorOutputScoreType)[keyof typeof EvaluatorOutputScoreType]

export const EvaluatorType = {
  LlmAsJudge: 'llm_as_judge',
  Code: 'code',
} as const
export type EvaluatorType = (typeof EvaluatorType)[keyof typeof EvaluatorType]

export const LegacyEvaluationObject = {
  Trace: 'trace',
  Span: 'span',
  Generation: 'generation',
  Event: 'event',
  Agent: 'agent',
  Tool: 'tool',
  Chain: 'chain',
  Retriever: 'retriever',
  Evaluator: 'evaluator',
  Embedding: 'embedding',
  Guardrail: 'guardrail',
  DatasetItem: 'dataset_item',
} as const
export type LegacyEvaluationObject = (typeof LegacyEvaluationObject)[keyof typeof LegacyEvaluationObject]

export interface LegacyPromptVariableMapping {
  mappingType: 'legacy'
  variable: string
  svcObject: LegacyEvaluationObject
  objectName: string | null
  source: string
  jsonPath?: string | undefined
}

export type MapValue = string | number | boolean | string[]

export interface MetaResponse {
  page: number
  limit: number
  totalItems: number
  totalPages: number
}

export const ObservationLevel = {
  Debug: 'DEBUG',
  Default: 'DEFAULT',
  Warning: 'WARNING',
  Error: 'ERROR',
} as const
export type ObservationLevel = (typeof ObservationLevel)[keyof typeof ObservationLevel]

export interface OpenAiCompletionUsageSchema {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: Record<string, number> | undefined
  completion_tokens_details?: Record<string, number> | undefined
}

export interface OpenAiResponseUsageSchema {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  input_tokens_details?: Record<string, number> | undefined
  output_tokens_details?: Record<string, number> | undefined
}

export interface OpenAiUsage {
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
}

export interface PlaceholderMessage {
  name: string
  type?: PlaceholderMessageType | undefined
}

export const PlaceholderMessageType = {
  Placeholder: 'placeholder',
} as const
export type PlaceholderMessageType = (typeof PlaceholderMessageType)[keyof typeof PlaceholderMessageType]

export interface BasePrompt {
  name: string
  version: number
  config?: unknown
  labels: string[]
  tags: string[]
  commitMessage?: string | undefined
  resolutionGraph?: Record<string, unknown> | undefined
  id?: string | undefined
  projectId?: string | undefined
  createdBy?: string | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  isActive?: boolean | undefined
}

export interface ChatPrompt extends BasePrompt {
  prompt: ChatMessageWithPlaceholders[]
}

export interface TextPrompt extends BasePrompt {
  prompt: string
}

export type Prompt =
  | ({ type: 'chat' } & ChatPrompt)
  | ({ type: 'text' } & TextPrompt)

export type PromptVariableMapping = PromptVariableMappingRead | LegacyPromptVariableMapping

export interface PromptVariableMappingInput {
  variable: string
  source: PromptVariableMappingSource
  jsonPath?: string | undefined
}

export interface PromptVariableMappingRead {
  variable: string
  source: string | null
  jsonPath?: string | undefined
}

export const PromptVariableMappingSource = {
  Input: 'input',
  Output: 'output',
  Metadata: 'metadata',
  ToolCalls: 'tool_calls',
  ExpectedOutput: 'expected_output',
  ExperimentItemMetadata: 'experiment_item_metadata',
} as const
export type PromptVariableMappingSource = (typeof PromptVariableMappingSource)[keyof typeof PromptVariableMappingSource]

export interface PublicApiError {
  message: string
  code: PublicApiErrorCode
  details?: PublicApiErrorDetails | undefined
}

export const PublicApiErrorCode = {
  AuthenticationFailed: 'authentication_failed',
  AccessDenied: 'access_denied',
  InvalidRequest: 'invalid_request',
  InvalidQuery: 'invalid_query',
  InvalidBody: 'invalid_body',
  ResourceNotFound: 'resource_not_found',
  Conflict: 'conflict',
  RateLimited: 'rate_limited',
  MethodNotAllowed: 'method_not_allowed',
  InternalError: 'internal_error',
} as const
export type PublicApiErrorCode = (typeof PublicApiErrorCode)[keyof typeof PublicApiErrorCode]

export interface PublicApiErrorDetails {
  issues?: PublicApiValidationIssue[] | undefined
  retryAfterSeconds?: number | undefined
  limit?: number | undefined
  remaining?: number | undefined
  resetAt?: string | undefined
  field?: string | undefined
  column?: string | undefined
  invalidValues?: unknown[] | undefined
  allowedValues?: unknown[] | undefined
  value?: unknown
}

export interface PublicApiValidationIssue {
  code: string
  message: string
  path: (string | number)[]
}

export interface ScoreBody {
  id?: string | undefined
  traceId?: string | undefined
  sessionId?: string | undefined
  observationId?: string | undefined
  datasetRunId?: string | undefined
  name: string
  environment?: string | undefined
  queueId?: string | undefined
  value: CreateScoreValue
  comment?: string | undefined
  metadata?: unknown
  dataType?: ScoreDataType | undefined
  configId?: string | undefined
}

export const ScoreDataType = {
  Numeric: 'NUMERIC',
  Boolean: 'BOOLEAN',
  Categorical: 'CATEGORICAL',
  Correction: 'CORRECTION',
  Text: 'TEXT',
} as const
export type ScoreDataType = (typeof ScoreDataType)[keyof typeof ScoreDataType]

export interface ScoreEvent {
  id: string
  timestamp: string
  metadata?: unknown
  body: ScoreBody
}

export const ScoreSource = {
  Annotation: 'ANNOTATION',
  Api: 'API',
  Eval: 'EVAL',
} as const
export type ScoreSource = (typeof ScoreSource)[keyof typeof ScoreSource]

export interface ScoreSubjectTraceV3 {
  id: string
}

export interface ScoreSubjectObservationV3 {
  id: string
  traceId?: string | undefined
}

export interface ScoreSubjectSessionV3 {
  id: string
}

export interface ScoreSubjectExperimentV3 {
  id: string
}

export type ScoreSubjectV3 =
  | ({ kind: 'trace' } & ScoreSubjectTraceV3)
  | ({ kind: 'observation' } & ScoreSubjectObservationV3)
  | ({ kind: 'session' } & ScoreSubjectSessionV3)
  | ({ kind: 'experiment' } & ScoreSubjectExperimentV3)

export interface BaseScoreV3 {
  id: string
  projectId: string
  name: string
  source: ScoreSource
  timestamp: string
  environment: string
  createdAt: string
  updatedAt: string
  comment?: string | null | undefined
  configId?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
  authorUserId?: string | null | undefined
  queueId?: string | null | undefined
  subject?: ScoreSubjectV3 | undefined
}

export interface NumericScoreV3 extends BaseScoreV3 {
  value: number
}

export interface BooleanScoreV3 extends BaseScoreV3 {
  value: boolean
}

export interface CategoricalScoreV3 extends BaseScoreV3 {
  value: string
}

export interface TextScoreV3 extends BaseScoreV3 {
  value: string
}

export interface CorrectionScoreV3 extends BaseScoreV3 {
  value: string
}

export type ScoreV3 =
  | ({ dataType: 'NUMERIC' } & NumericScoreV3)
  | ({ dataType: 'BOOLEAN' } & BooleanScoreV3)
  | ({ dataType: 'CATEGORICAL' } & CategoricalScoreV3)
  | ({ dataType: 'TEXT' } & TextScoreV3)
  | ({ dataType: 'CORRECTION' } & CorrectionScoreV3)

export interface Usage {
  input: number
  output: number
  total: number
  unit: string | null
  inputCost?: number | undefined
  outputCost?: number | undefined
  totalCost?: number | undefined
}

export type UsageDetails = Record<string, number> | OpenAiCompletionUsageSchema | OpenAiResponseUsageSchema
