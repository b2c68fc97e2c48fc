import { declareKeys } from '../../span-view/keys.ts'

export const logfireKeys = declareKeys({
  moved: ['prompt', 'all_messages_events', 'events'],
  kept: ['logfire.msg'],
})
