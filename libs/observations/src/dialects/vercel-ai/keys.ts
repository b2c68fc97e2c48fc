// Keys of the Vercel AI SDK. The keys in `moved` are keys of the user's metadata that describe the trace or the prompt.
import { declareKeys } from '../../span-view/keys.ts'

export const vercelAiKeys = declareKeys({
  content: [
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
  ],
  moved: [
    'ai.telemetry.metadata.userId',
    'ai.telemetry.metadata.sessionId',
    'ai.telemetry.metadata.tags',
    'ai.telemetry.metadata.svcPrompt',
  ],
  kept: [
    'ai.toolCall.name',
    'ai.operationId',
    'operation.name',
    'ai.telemetry.functionId',
    'ai.settings.context.userId',
    'ai.settings.context.sessionId',
    'ai.settings.context.tags',
    'ai.model.id',
    'ai.response.model',
    'ai.settings.maxSteps',
    'ai.prompt.toolChoice',
    'ai.model.provider',
    'ai.settings.maxRetries',
    'ai.settings.mode',
    'ai.response.providerMetadata',
    'ai.settings.context.svcPrompt.name',
    'ai.settings.context.svcPrompt.version',
    'ai.prompt.tools',
  ],
})
