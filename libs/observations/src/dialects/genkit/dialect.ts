// Genkit records the whole input as one JSON value, and the whole output as another.

import type { ByteSource } from '@svc-server/column-store/native'
import type { SaidUsage } from '@svc-server/pricing/said-usage'
import type { Dialect } from '../../rules/dialect.ts'
import { type InputOutputRule, scopeIs } from '../../rules/input-output-rule.ts'
import { jsonAttribute, memberOf, memberOfAttribute } from '../../rules/json-attribute.ts'
import { findFirst, type Rule, spanAttribute, spanAttributes } from '../../rules/rules.ts'
import { countsIn } from '../../rules/usage-rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { CompactJson } from '../../span-view/compact-json.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText, wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { genkitKeys } from './keys.ts'

const isGenkit = scopeIs('genkit-tracer')

const inputKey = keyNumber('genkit:input')
const outputKey = keyNumber('genkit:output')

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

/** True if the subtype of the span is `model`. The attribute `genkit:name` of such a span is the name of the model. */
const isModel = (span: SpanView): boolean => wordOf(span, subtypeKey, modelWord) === true

/**
 * Writes the member of the attribute's JSON object, or the whole attribute if the member is missing or null. A JSON string loses its
 * quotes.
 */
function writeMember(span: SpanView, key: string, member: string, into: Content): void {
  const entry = span.own.get(keyNumber(key))
  into.attribute(span, span.attributes.isSet(entry) ? entry : -1)
  if (entry >= 0) span.explanation?.use(key)
  if (copyMember(span, entry, member, into)) return
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

/** These members are removed from the metadata, because other columns already show their contents. */
const shown: ReadonlySet<string> = new Set(['messages', 'config', 'message', 'usage', 'request', 'raw', 'finishReason'])

const json = new CompactJson()
const quote = 0x22
const letterN = 0x6e
const brace = 0x7b

/** Copies the member without parsing, if the attribute is compact JSON. Returns false if this is impossible (see `writeMember`). */
function copyMember(span: SpanView, entry: number, member: string, into: Content): boolean {
  const { attributes, source } = span
  if (entry < 0 || attributes.kinds[entry] !== valueKind.text) return false
  const start = attributes.starts[entry]!
  if (source.bytes[start] !== brace || !json.read(source.bytes, start, attributes.ends[entry]!)) return false
  const at = json.find(member)
  const first = at < 0 ? letterN : source.bytes[json.start(at)]!
  // A string must be parsed, to remove its quotes and escapes.
  if (first === quote) return false
  if (first === letterN) return true
  into.range(source, json.start(at), json.end(at))
  const rest: string[] = []
  for (let i = 0; i < json.length; i++) {
    if (shown.has(wireText(source, json.nameStart(i), json.nameEnd(i))) || isEmptyAt(source, json.start(i), json.end(i))) continue
    rest.push(wireText(source, json.nameStart(i) - 1, json.end(i)))
  }
  move(span, entry, rest.length === 0 ? undefined : `{${rest.join(',')}}`)
  return true
}

/** True for `null`, `[]`, and `{}`. */
const isEmptyAt = ({ bytes }: ByteSource, start: number, end: number): boolean =>
  bytes[start] === letterN || (end - start === 2 && bytes[start] !== quote && bytes[start]! > 0x39)

function move(span: SpanView, entry: number, rest: string | undefined): void {
  span.moved.set(entry, rest ?? null)
  if (rest !== undefined) span.leaveOut(entry)
}

/** Documents, tools, and other members stay in the metadata. */
function keepRest(span: SpanView, entry: number, parsed: unknown): void {
  const rest = isJsonObject(parsed) ? Object.entries(parsed).filter(([name, value]) => !shown.has(name) && !isEmpty(value)) : []
  move(span, entry, rest.length === 0 ? undefined : jsonText(Object.fromEntries(rest)))
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
    const given = memberOfAttribute(span, span.own.get(inputKey), 'config')
    span.explanation?.use(given === undefined || given === null ? 'genkit:output' : 'genkit:input')
    return given ?? memberOfAttribute(span, span.own.get(outputKey), 'request', 'config') ?? undefined
  },
}

const outputRules = spanAttributes('truthy', 'genkit:output')

function genkitUsage(span: SpanView, said: SaidUsage): boolean {
  const usage = memberOfAttribute(span, findFirst(span, outputRules), 'usage')
  if (!isJsonObject(usage)) return false
  const found = countsIn(usage, said)
  // This member has counts under a provider's own names, such as Anthropic's names for cached tokens.
  const custom = usage['custom']
  return (isJsonObject(custom) && countsIn(custom, said, { fill: true })) || found
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
