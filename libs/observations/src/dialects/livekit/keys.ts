// LiveKit's attributes. Since version 1.7, the names of content attributes contain an additional word.
import { declareKeys } from '../../span-view/keys.ts'

const contentNames = [
  'input_text',
  'user_input',
  'user_transcript',
  'chat_ctx',
  'function_tool.arguments',
  'function_tool.output',
  'response.text',
  'response.function_calls',
] as const

/** The newer name comes first. */
export const namesOf = (name: (typeof contentNames)[number]): readonly string[] => [`lk.pii.${name}`, `lk.${name}`]

export const livekitKeys = declareKeys({ content: contentNames.flatMap(namesOf), kept: ['lk.llm_metrics', 'lk.realtime_model_metrics'] })
