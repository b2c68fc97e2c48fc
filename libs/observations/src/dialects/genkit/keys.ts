import { declareKeys } from '../../span-view/keys.ts'

export const genkitKeys = declareKeys({
  content: ['genkit:input', 'genkit:output'],
  kept: ['genkit:metadata:subtype', 'genkit:name'],
})
