// Keys of Pydantic AI. Pipecat also uses two of the keys: `input` and `output`.
import { declareKeys } from '../../span-view/keys.ts'

export const pydanticAiKeys = declareKeys({
  content: ['input', 'output', 'pydantic_ai.all_messages', 'final_result'],
  kept: ['model_name', 'model_config', 'model_request_parameters', 'tool_arguments', 'tool_response'],
})
