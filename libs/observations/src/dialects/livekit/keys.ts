import { declareKeys } from '../../span-view/keys.ts'

export const livekitKeys = declareKeys({
  moved: ['lk.input_text', 'lk.user_input', 'lk.user_transcript', 'lk.chat_ctx', 'lk.function_tool.output', 'lk.response.text'],
})
