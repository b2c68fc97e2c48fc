// Genkit: one JSON value contains the whole input, and a second JSON value contains the whole output.

import type { SaidUsage } from '@svc-server/pricing/said-usage'
import type { Dialect } from '../../rules/dialect.ts'
import { type InputOutputRule, scopeIs } from '../../rules/input-output-rule.ts'
import { jsonAttribute, jsonMember, jsonOf, memberOf } from '../../rules/json-attribute.ts'
import { findFirst, type Rule, spanAttribute, spanAttributes } from '../../rules/rules.ts'
import { countsIn } from '../../rules/usage-rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { genkitKeys } from './keys.ts'

const isGenkit = scopeIs('genkit-tracer')

const subtypeKey = keyNumber('genkit:metadata:subtype')
const subtypes = words<ObservationType>({
  model: 'GENERATION',
  'background-model': 'GENERATION',
  embedder: 'EMBEDDING',
  tool: 'TOOL',
  'tool.v2': 'TOOL',
  retriever: 'RETRIEVER',
  evaluator: 'EVALUATOR',
})
const modelWord = words({ model: true })

const type: Rule<ObservationType> = { name: 'genkit:metadata:subtype', read: span => wordOf(span, subtypeKey, subtypes) }

/** The name of a span that calls a model is the name of the model. */
const isModel = (span: SpanView): boolean => wordOf(span, subtypeKey, modelWord) === true

/** Writes one member of the JSON value if it is present, or else the whole value. A JSON string is written without its quotes. */
function writeMember(span: SpanView, key: string, member: string, into: Content): void {
  const entry = span.own.get(keyNumber(key))
  into.attribute(span, span.attributes.isSet(entry) ? entry : -1)
  if (entry >= 0) span.explanation?.use(key)
  const parsed = jsonAttribute(span, entry)
  const value = typeof parsed === 'string' ? parsed : memberOf(parsed, member)
  if (value === undefined || value === null) return
  const text = typeof value === 'string' ? value : jsonText(value)
  if (text === undefined) span.lose('unreadable_json', entry)
  else {
    into.string(text)
    keepRest(span, entry, parsed)
  }
}

/** Members whose values other columns show, and members that repeat these values. */
const shown: ReadonlySet<string> = new Set(['messages', 'config', 'message', 'usage', 'request', 'raw', 'finishReason'])

/** Documents, tools, and other members stay in the metadata. */
function keepRest(span: SpanView, entry: number, parsed: unknown): void {
  const rest = isJsonObject(parsed) ? Object.entries(parsed).filter(([name, value]) => !shown.has(name) && !isEmpty(value)) : []
  const text = rest.length === 0 ? undefined : jsonText(Object.fromEntries(rest))
  span.moved.set(entry, text ?? null)
  if (text !== undefined) span.leaveOut(entry)
}

const isEmpty = (value: unknown): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)

const inputOutput: InputOutputRule = {
  name: 'genkit',
  read(span) {
    if (!isGenkit(span)) return false
    writeMember(span, 'genkit:input', 'messages', span.input)
    span.explanation?.side('input')
    writeMember(span, 'genkit:output', 'message', span.output)
    span.explanation?.side('output')
    return true
  },
}

const parameters: Rule<unknown> = {
  name: 'genkit config',
  read(span) {
    if (!isGenkit(span)) return undefined
    const given = memberOf(jsonOf(span, 'genkit:input'), 'config')
    span.explanation?.use(given === undefined || given === null ? 'genkit:output' : 'genkit:input')
    return given ?? memberOf(jsonOf(span, 'genkit:output'), 'request', 'config') ?? undefined
  },
}

const outputRules = spanAttributes('truthy', 'genkit:output')

function genkitUsage(span: SpanView, said: SaidUsage): boolean {
  const usage = jsonMember(span, findFirst(span, outputRules), 'usage')
  return usage !== undefined && countsIn(usage, said)
}

export const genkit: Dialect = {
  name: 'Genkit',
  keys: genkitKeys,
  attributes: {
    name: [[20, spanAttribute('genkit:name', 'key')]],
    provided_model_name: [[80, spanAttribute('genkit:name', 'truthy', isModel)]],
  },
  type: [[50, type]],
  inputOutput: [[20, inputOutput]],
  modelParameters: [[30, parameters]],
  usage: [[20, { name: 'Genkit', counts: (span, said) => isGenkit(span) && genkitUsage(span, said) }]],
}
