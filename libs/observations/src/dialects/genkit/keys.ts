import { declareKeys } from '../../span-view/keys.ts'

export const genkitKeys = declareKeys({
  moved: ['genkit:input', 'genkit:output'],
  kept: ['genkit:metadata:subtype', 'genkit:name'],
})
