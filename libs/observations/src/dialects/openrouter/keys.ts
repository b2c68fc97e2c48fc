import { declareKeys } from '../../span-view/keys.ts'

export const openrouterKeys = declareKeys({
  kept: ['openrouter.source'],
})
