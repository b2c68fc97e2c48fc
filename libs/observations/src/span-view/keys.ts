// The attribute keys that rules know. A key's place in this list is its number: keys are compared once, as bytes, and never become strings.

/** Texts that a rule moves to input or output. They leave the metadata in any case, whichever of them wins. */
const inputOutputKeys = [
  'svc.observation.input',
  'svc.observation.output',
  'svc.trace.input',
  'svc.trace.output',
  // Vercel AI SDK
  'ai.prompt.messages',
  'ai.prompt',
  'ai.toolCall.args',
  'ai.response.text',
  'ai.result.text',
  'ai.toolCall.result',
  'ai.response.object',
  'ai.result.object',
  'ai.response.toolCalls',
  'ai.result.toolCalls',
  // genkit, Flue, Google ADK
  'genkit:input',
  'genkit:output',
  'flue.turn.input',
  'flue.tool.arguments',
  'flue.task.prompt',
  'flue.workflow.payload',
  'flue.turn.output',
  'flue.tool.result',
  'flue.task.result',
  'flue.operation.result',
  'flue.workflow.result',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.tool_call_args',
  'gcp.vertex.agent.llm_response',
  'gcp.vertex.agent.tool_response',
  // Logfire, LiveKit, MLflow, Traceloop
  'prompt',
  'all_messages_events',
  'events',
  'lk.input_text',
  'lk.user_input',
  'lk.user_transcript',
  'lk.chat_ctx',
  'lk.function_tool.output',
  'lk.response.text',
  'mlflow.spanInputs',
  'mlflow.spanOutputs',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'input.value',
  'output.value',
  'input',
  'output',
  // Pydantic AI
  'pydantic_ai.all_messages',
  'final_result',
  // what the semantic conventions say, in their several versions
  'gen_ai.prompt',
  'gen_ai.completion',
  'llm.input_messages',
  'llm.output_messages',
  'gen_ai.system_instructions',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
] as const

/** Carriers of the user's own metadata; they leave `attributes` as well, except for svc.metadata. */
const metadataKeys = ['svc.observation.metadata', 'svc.trace.metadata'] as const

/** The SDK's words for the trace and the prompt inside the user's metadata: no metadata themselves. */
const telemetryKeys = [
  'ai.telemetry.metadata.userId',
  'ai.telemetry.metadata.sessionId',
  'ai.telemetry.metadata.tags',
  'ai.telemetry.metadata.svcPrompt',
] as const

/** What kind of text input and output are: says nothing that the text itself does not. */
const mediaTypeKeys = ['input.mime_type', 'output.mime_type'] as const

const otherKeys = [
  'svc.metadata',
  // OpenInference's carrier of the user's metadata
  'metadata',
  // type, name
  'svc.observation.type',
  'openinference.span.kind',
  'gen_ai.operation.name',
  'genkit:metadata:subtype',
  'gen_ai.tool.name',
  'gen_ai.tool.call.id',
  'genkit:name',
  'logfire.msg',
  'ai.toolCall.name',
  'ai.operationId',
  'operation.name',
  'flue.tool.name',
  'flue.tool.call_id',
  'flue.task.id',
  'flue.task.agent',
  'ai.telemetry.functionId',
  // level
  'svc.observation.level',
  'svc.observation.status_message',
  // environment, version, release
  'svc.environment',
  'deployment.environment.name',
  'deployment.environment',
  'svc.version',
  'service.version',
  'svc.release',
  'openrouter.source',
  // the trace
  'svc.user.id',
  'user.id',
  'svc.observation.metadata.svc_user_id',
  'svc.trace.metadata.svc_user_id',
  'ai.settings.context.userId',
  'svc.session.id',
  'session.id',
  'gen_ai.conversation.id',
  'svc.observation.metadata.svc_session_id',
  'svc.trace.metadata.svc_session_id',
  'ai.settings.context.sessionId',
  'svc.trace.tags',
  'svc.tags',
  'svc.observation.metadata.svc_tags',
  'svc.trace.metadata.svc_tags',
  'ai.settings.context.tags',
  'tag.tags',
  'svc.trace.public',
  'svc.public',
  'svc.trace.name',
  'svc.internal.is_app_root',
  'svc.internal.as_root',
  // model
  'svc.observation.model.name',
  'gen_ai.response.model',
  'ai.model.id',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.model_name',
  'model',
  'ai.response.model',
  'embedding.model_name',
  'model_name',
  'svc.observation.model.parameters',
  'ai.settings.maxSteps',
  'ai.prompt.toolChoice',
  'gen_ai.request.max_tokens',
  'gen_ai.response.finish_reasons',
  'gen_ai.finishReason',
  'gen_ai.system',
  'ai.model.provider',
  'ai.settings.maxRetries',
  'ai.settings.mode',
  'gen_ai.request.temperature',
  'gen_ai.request.service_tier',
  'ai.response.providerMetadata',
  'llm.invocation_parameters',
  'embedding.invocation_parameters',
  'model_config',
  // input and output that stay in the metadata as well
  'tool_arguments',
  'tool_response',
  // prompt, usage, cost, time to first token
  'svc.observation.prompt.name',
  'svc.prompt.name',
  'svc.observation.prompt.version',
  'svc.prompt.version',
  'ai.settings.context.svcPrompt.name',
  'ai.settings.context.svcPrompt.version',
  'svc.observation.usage_details',
  'ai.usage.tokens',
  'ai.usage.totalTokens',
  'ai.usage.promptTokens',
  'ai.usage.inputTokens',
  'ai.usage.completionTokens',
  'ai.usage.outputTokens',
  'ai.usage.cachedInputTokens',
  'ai.usage.reasoningTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.usage.output_tokens',
  'svc.observation.cost_details',
  'gen_ai.usage.cost',
  'llm.cost.total',
  'svc.observation.completion_start_time',
  'ai.response.msToFirstChunk',
  'ai.stream.msToFirstChunk',
  'gen_ai.client.operation.time_to_first_chunk',
  // experiments
  'svc.experiment.id',
  'svc.experiment.name',
  'svc.experiment.description',
  'svc.experiment.dataset.id',
  'svc.experiment.item.id',
  'svc.experiment.item.version',
  'svc.experiment.item.root_observation_id',
  'svc.experiment.item.expected_output',
  'svc.experiment.metadata',
  'svc.experiment.item.metadata',
  // tools
  'ai.prompt.tools',
  'gen_ai.tool.definitions',
  'model_request_parameters',
  // the resource
  'service.name',
  'telemetry.sdk.language',
  'telemetry.sdk.name',
  'telemetry.sdk.version',
] as const

export type KnownKey =
  | (typeof inputOutputKeys)[number]
  | (typeof metadataKeys)[number]
  | (typeof telemetryKeys)[number]
  | (typeof mediaTypeKeys)[number]
  | (typeof otherKeys)[number]

export const knownKeys: readonly KnownKey[] = [...inputOutputKeys, ...metadataKeys, ...telemetryKeys, ...mediaTypeKeys, ...otherKeys]

const numbers = new Map<string, number>(knownKeys.map((key, number) => [key, number]))

/** The number under which every key table knows this key. */
export const keyNumber = (key: KnownKey): number => numbers.get(key)!

export const isKnownKey = (key: string): boolean => numbers.has(key)

const leaving = new Set<string>([...inputOutputKeys, ...metadataKeys, ...telemetryKeys, ...mediaTypeKeys])

/** True for keys whose value a rule takes out of the metadata. */
export const leavesMetadata = (key: string): boolean => leaving.has(key)
