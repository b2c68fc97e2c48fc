// OpenRouter's span of a failed request has no environment attribute, but `gen_ai.completion` contains a copy of the request. If the
// request is part of an evaluation, the rule reads the environment from this copy.

import type { Dialect } from '../../rules/dialect.ts'
import { jsonOf, memberOf } from '../../rules/json-attribute.ts'
import '../../span-view/resource-keys.ts'
import '../gen-ai/keys.ts'
import type { Rule } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { openrouterKeys } from './keys.ts'

const serviceKey = keyNumber('service.name')
const sourceKey = keyNumber('openrouter.source')
const evaluation = 'svc-llm-as-a-judge'

function isOpenRouter(span: SpanView, entry: number): boolean {
  const { kinds, starts, ends } = span.attributes
  return entry >= 0 && kinds[entry] === valueKind.text && wireText(span.source, starts[entry]!, ends[entry]!) === 'openrouter'
}

const environment: Rule<string> = {
  name: 'OpenRouter: environment of a failed request',
  read(span) {
    const resource = span.resource.get(sourceKey)
    const source = resource >= 0 ? resource : span.own.get(sourceKey)
    if (source < 0 || !isOpenRouter(span, source) || !isOpenRouter(span, span.resource.get(serviceKey))) return undefined
    const completion = jsonOf(span, 'gen_ai.completion')
    if (memberOf(completion, 'completion') !== null) return undefined
    span.explanation?.use('gen_ai.completion')
    return memberOf(completion, 'rawRequest', 'trace', 'environment') === evaluation ? evaluation : undefined
  },
}

export const openRouter: Dialect = { name: 'OpenRouter', keys: openrouterKeys, environment: [[10, environment]] }
