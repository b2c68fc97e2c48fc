// Reads the observation type that the product's own SDKs send.
import './keys.ts'

import { findFirst, type Rule, spanAttributes } from '../../rules/rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import { keyNumber } from '../../span-view/keys.ts'
import { type ObservationType, observationTypes } from '../../span-view/observation-type.ts'
import { languageOf } from '../../span-view/span-reader.ts'
import type { SpanView } from '../../span-view/span-view.ts'

const typeKey = keyNumber('svc.observation.type')
const spanWord = words({ span: true })
const generationKeys = spanAttributes(
  'key',
  'svc.observation.model.name',
  'svc.observation.cost_details',
  'svc.observation.usage_details',
  'svc.observation.completion_start_time',
  'svc.observation.model.parameters',
  'svc.observation.prompt.name',
  'svc.observation.prompt.version',
)

/** Up to version 3.3, the Python SDK sent every generation as a span. A missing or invalid version counts as one of these old versions. */
function isBefore34(version: string): boolean {
  const match = /^(\d+)\.(\d+)/.exec(version)
  if (match === null) return !/^\d/.test(version) || Number.parseInt(version, 10) <= 3
  const major = Number(match[1])
  return major < 3 || (major === 3 && Number(match[2]) <= 3)
}

const isOldPython = (span: SpanView) => span.scopeName === 'svc-sdk' && languageOf(span) === 'python' && isBefore34(span.scopeVersion)

export const oldPythonGeneration: Rule<ObservationType> = {
  name: 'a generation of the Python SDK up to 3.3',
  read: span =>
    wordOf(span, typeKey, spanWord) === true && isOldPython(span) && findFirst(span, generationKeys) >= 0 ? 'GENERATION' : undefined,
}

const types = words<ObservationType>(Object.fromEntries(observationTypes.map(type => [type.toLowerCase(), type])))

/** Ignores an unknown type. */
export const saidType: Rule<ObservationType> = { name: 'svc.observation.type', read: span => wordOf(span, typeKey, types) }
