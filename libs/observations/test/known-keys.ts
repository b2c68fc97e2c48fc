import '../src/dialects/registry.ts'
import { knownEvents } from '../src/rules/span-events.ts'
import { declaredKeys } from '../src/span-view/keys.ts'

export const knownKeys = declaredKeys()
export const eventKinds = knownEvents()
