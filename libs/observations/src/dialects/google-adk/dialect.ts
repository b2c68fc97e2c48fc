// Google's Agent Development Kit sends `{}` as request and response on spans without a model call.

import type { SaidUsage } from '@svc-server/pricing/said-usage'
import type { Dialect } from '../../rules/dialect.ts'
import type { InputOutputRule } from '../../rules/input-output-rule.ts'
import { jsonMember } from '../../rules/json-attribute.ts'
import { findFirst, spanAttributes } from '../../rules/rules.ts'
import { countsIn, saidCounts } from '../../rules/usage-rules.ts'
import { words } from '../../rules/words.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { googleAdkKeys } from './keys.ts'

const emptyObject = words({ '{}': true })

/** Returns -1 if every value is an empty object. */
const firstFilled = (...keys: readonly string[]) => {
  const numbers = keys.map(key => [key, keyNumber(key)] as const)
  return (span: SpanView): number => {
    const { kinds, starts, ends } = span.attributes
    for (let i = 0; i < numbers.length; i++) {
      const [key, number] = numbers[i]!
      const entry = span.own.get(number)
      if (!span.attributes.isTruthy(entry)) continue
      if (kinds[entry] === valueKind.text && emptyObject(span.source, starts[entry]!, ends[entry]!) === true) continue
      span.explanation?.use(key)
      return entry
    }
    return -1
  }
}

const inputOf = firstFilled('gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args')
const outputOf = firstFilled('gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response')

const inputOutput: InputOutputRule = {
  name: 'Google ADK',
  read(span) {
    const input = inputOf(span)
    span.explanation?.side('input')
    const output = outputOf(span)
    span.explanation?.side('output')
    if (input < 0 && output < 0) return false
    span.input.attribute(span, input)
    span.output.attribute(span, output)
    return true
  },
}

const responseRules = spanAttributes('truthy', 'gcp.vertex.agent.llm_response')

/** If the attributes lack a count, the count comes from the response in `gcp.vertex.agent.llm_response`. */
function adkUsage(span: SpanView, said: SaidUsage): boolean {
  const found = saidCounts(span, said)
  const response = findFirst(span, responseRules)
  const usage = jsonMember(span, response, 'usage_metadata') ?? jsonMember(span, response, 'usageMetadata')
  return (usage !== undefined && countsIn(usage, said, { entry: response, fill: true })) || found
}

export const googleAdk: Dialect = {
  name: 'Google ADK',
  keys: googleAdkKeys,
  inputOutput: [[80, inputOutput]],
  usage: [[40, { name: 'Vertex agent', counts: (span, said) => span.scopeName === 'gcp.vertex.agent' && adkUsage(span, said) }]],
}
