// Where a span's usage comes from. The order is the precedence; the first source that has something is taken whole.

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { attributeText } from '../../rules/attribute-text.ts'
import { createGenericUsage } from '../../rules/generic-usage.ts'
import { readUsage } from '../../rules/json-usage.ts'
import { findFirst, forColumn, type Rule, spanAttributes } from '../../rules/rules.ts'
import { countOfJson, setCount, without } from '../../rules/units.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { isJsonObject, parseJson } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { vercelScope, vercelUsage } from './vercel.ts'

export const usageDetailRules = spanAttributes('set', 'svc.observation.usage_details')
const genkitOutputRules = spanAttributes('truthy', 'genkit:output')
const vertexResponseRules = spanAttributes('truthy', 'gcp.vertex.agent.llm_response')

/** Reads into `amounts`, which is what each rule answers with. */
export function createUsageSources(amounts: Amounts): readonly Rule<Amounts>[] {
  const genericUsage = createGenericUsage()
  const source = (name: string, read: (span: SpanView) => boolean): Rule<Amounts> => ({
    name,
    read: span => (read(span) ? amounts : undefined),
  })
  return forColumn('usage_details', [
    source('svc.observation.usage_details', span => sdkUsage(span, amounts)),
    source('Genkit', span => span.scopeName === 'genkit-tracer' && genkitUsage(span, amounts)),
    source('Vercel AI SDK', span => span.scopeName === vercelScope && vercelUsage(span, amounts)),
    source('Vertex agent', span => span.scopeName === 'gcp.vertex.agent' && genericUsage(span, amounts, vertexCached(span))),
    source('gen_ai.usage.*, llm.token_count.*', span => genericUsage(span, amounts)),
  ])
}

/** JSON that is no object says that there is no usage; a text that is no JSON says nothing. */
function sdkUsage(span: SpanView, into: Amounts): boolean {
  const entry = findFirst(span, usageDetailRules)
  if (entry < 0) return false
  const parsed = parseJson(attributeText(span, entry))
  if (parsed === undefined && span.attributes.kinds[entry] === valueKind.text) {
    span.lose('unreadable_json', entry)
    return false
  }
  into.clear()
  if (!isJsonObject(parsed) || !readUsage(parsed, into)) span.lose('unfit_value', entry)
  return true
}

function genkitUsage(span: SpanView, into: Amounts): boolean {
  const usage = usageOf(span, findFirst(span, genkitOutputRules), 'usage')
  if (usage === undefined) return false
  const count = (name: string): Units | undefined => countOfJson(usage[name])
  const output = count('outputTokens')
  const thoughts = count('thoughtsTokens')
  into.clear()
  for (const [name, units] of [
    ['input', count('inputTokens')],
    ['output', output === undefined ? undefined : without(output, thoughts ?? 0)],
    ['total', count('totalTokens')],
    ['output_reasoning', thoughts],
  ] as const) {
    if (units !== undefined) setCount(into, name, units)
  }
  return into.length > 0
}

const vertexCached = (span: SpanView): Units | undefined =>
  countOfJson(usageOf(span, findFirst(span, vertexResponseRules), 'usage_metadata')?.['cached_content_token_count'])

/** The object `key` of an attribute's JSON object; parsed only where its bytes name it. */
function usageOf(span: SpanView, entry: number, key: string): Readonly<Record<string, unknown>> | undefined {
  if (entry < 0) return undefined
  const text = attributeText(span, entry)
  if (!text.includes(key)) return undefined
  const parsed = parseJson(text)
  const usage = isJsonObject(parsed) ? parsed[key] : undefined
  return isJsonObject(usage) ? usage : undefined
}
