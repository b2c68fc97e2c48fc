// The Vercel AI SDK's own tracer (scope `ai`).
import type { Dialect } from '../../rules/dialect.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { toolAttribute } from '../../rules/tool-source.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { inputOutput } from './input-output.ts'
import { vercelAiKeys } from './keys.ts'
import { operationName } from './name.ts'
import { parameters } from './parameters.ts'
import { telemetryPrompt } from './prompt.ts'
import { isVercelAi } from './scope.ts'
import { modelCall, toolCall } from './type.ts'
import { reportedCost, reportedTier, vercelUsage } from './usage.ts'

const userMetadata = keyFlag.leaves | keyFlag.observationMetadata | keyFlag.traceMetadata
/** These keys of the user's metadata describe the trace or the prompt. */
const except = ['userId', 'sessionId', 'tags', 'svcPrompt', 'svcPrompt.name', 'svcPrompt.version']

export const vercelAi: Dialect = {
  name: 'Vercel AI SDK',
  keys: vercelAiKeys,
  vocabulary: {
    prefixes: [
      { prefix: 'ai.telemetry.metadata.', flags: userMetadata, except },
      { prefix: 'ai.settings.context.', flags: userMetadata, except },
      { prefix: 'ai.embedding', flags: keyFlag.embeddingVector },
      { prefix: 'ai.prompt.tools', flags: keyFlag.tool },
      { prefix: 'ai.usage.', flags: keyFlag.vercelUsage },
    ],
  },
  attributes: {
    user_id: [
      [50, spanAttribute('ai.telemetry.metadata.userId')],
      [60, spanAttribute('ai.settings.context.userId')],
    ],
    session_id: [
      [60, spanAttribute('ai.telemetry.metadata.sessionId')],
      [70, spanAttribute('ai.settings.context.sessionId')],
    ],
    tags: [
      [50, spanAttribute('ai.telemetry.metadata.tags')],
      [60, spanAttribute('ai.settings.context.tags')],
    ],
    // The text of this attribute becomes the span's name, even if the text is empty.
    name: [[40, spanAttribute('ai.toolCall.name', 'key')]],
    provided_model_name: [
      [30, spanAttribute('ai.model.id')],
      [90, spanAttribute('ai.response.model')],
    ],
    prompt_name: [[30, spanAttribute('ai.settings.context.svcPrompt.name', 'set')]],
    prompt_version: [[30, spanAttribute('ai.settings.context.svcPrompt.version', 'set')]],
  },
  type: [
    [60, modelCall],
    [70, toolCall],
  ],
  inputOutput: [[30, inputOutput]],
  names: [[10, operationName]],
  // Only the first rule that returns a value is used. This rule combines the settings of the AI SDK with the explicit parameters, so it
  // precedes the rules of the other dialects.
  modelParameters: [[10, parameters]],
  prompts: [[10, telemetryPrompt]],
  usage: [[30, { name: 'Vercel AI SDK', counts: (span, said) => isVercelAi(span) && vercelUsage(span, said) }]],
  cost: [[30, { name: 'cost in the provider’s report', read: (span, into) => isVercelAi(span) && reportedCost(span, into) }]],
  served: [[20, reportedTier]],
  tools: [[20, toolAttribute('ai.prompt.tools', { providerTools: true })]],
}
