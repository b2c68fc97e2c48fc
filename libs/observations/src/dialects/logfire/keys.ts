import { declareKeys } from '../../span-view/keys.ts'

export const logfireKeys = declareKeys({
  content: ['prompt', 'all_messages_events', 'events'],
  kept: ['logfire.msg'],
})
