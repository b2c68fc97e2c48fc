import { declareKeys } from '../../span-view/keys.ts'

export const traceloopKeys = declareKeys({
  content: ['traceloop.entity.input', 'traceloop.entity.output'],
  kept: ['llm.response.model'],
})
