import { declareKeys } from '../../span-view/keys.ts'

export const genAiKeys = declareKeys({
  content: [
    'gen_ai.prompt',
    'gen_ai.completion',
    'gen_ai.system_instructions',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
    'gen_ai.retrieval.query.text',
    'gen_ai.retrieval.query',
    'gen_ai.retrieval.documents',
    'gen_ai.memory.query.text',
    'gen_ai.memory.query',
    'gen_ai.memory.records',
  ],
  kept: [
    'gen_ai.operation.name',
    'gen_ai.tool.name',
    'gen_ai.tool.call.id',
    'gen_ai.conversation.id',
    'gen_ai.response.model',
    'gen_ai.request.model',
    'gen_ai.request.max_tokens',
    'gen_ai.response.finish_reasons',
    'gen_ai.finishReason',
    'gen_ai.system',
    'gen_ai.request.temperature',
    'gen_ai.request.service_tier',
    'gen_ai.tool.definitions',
  ],
})
