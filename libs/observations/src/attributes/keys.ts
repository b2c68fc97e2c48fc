// The attribute keys that rules know. A key's place in this list is its number: keys are compared once, as bytes, and never become strings.

/** Texts that a rule moves to input or output. They leave the metadata in any case, whichever of them wins. */
const inputOutputKeys = [
  'svc.observation.input',
  'svc.observation.output',
  'svc.trace.input',
  'svc.trace.output',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'input.value',
  'output.value',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
] as const

/** Carriers of the user's own metadata; they leave `attributes` as well, except for svc.metadata. */
const metadataKeys = ['svc.observation.metadata', 'svc.trace.metadata'] as const

const otherKeys = [
  'svc.metadata',
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
  // the trace
  'svc.user.id',
  'user.id',
  'svc.observation.metadata.svc_user_id',
  'svc.trace.metadata.svc_user_id',
  'ai.telemetry.metadata.userId',
  'svc.session.id',
  'session.id',
  'gen_ai.conversation.id',
  'svc.observation.metadata.svc_session_id',
  'svc.trace.metadata.svc_session_id',
  'ai.telemetry.metadata.sessionId',
  'svc.trace.tags',
  'svc.tags',
  'svc.observation.metadata.svc_tags',
  'svc.trace.metadata.svc_tags',
  'ai.telemetry.metadata.tags',
  'tag.tags',
  'svc.trace.public',
  'svc.public',
  'svc.trace.name',
  'svc.internal.is_app_root',
  // model
  'svc.observation.model.name',
  'gen_ai.response.model',
  'ai.model.id',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.model_name',
  'model',
  'svc.observation.model.parameters',
  // prompt, usage, cost, time to first token
  'svc.observation.prompt.name',
  'svc.prompt.name',
  'svc.observation.prompt.version',
  'svc.prompt.version',
  'svc.observation.usage_details',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.total_tokens',
  'svc.observation.cost_details',
  'gen_ai.usage.cost',
  'llm.cost.total',
  'svc.observation.completion_start_time',
  // the resource
  'service.name',
  'telemetry.sdk.language',
  'telemetry.sdk.name',
  'telemetry.sdk.version',
] as const

export type KnownKey = (typeof inputOutputKeys)[number] | (typeof metadataKeys)[number] | (typeof otherKeys)[number]

export const knownKeys: readonly KnownKey[] = [...inputOutputKeys, ...metadataKeys, ...otherKeys]

const numbers = new Map<string, number>(knownKeys.map((key, number) => [key, number]))

/** The number under which every key table knows this key. */
export const keyNumber = (key: KnownKey): number => numbers.get(key)!

const leaving = new Set<string>([...inputOutputKeys, ...metadataKeys])

/** True for keys whose value a rule takes out of the metadata. */
export const leavesMetadata = (key: string): boolean => leaving.has(key)
