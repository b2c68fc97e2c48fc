// Which model was called, and with what parameters.
import { type BlockBuilder, type ByteWriter, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { isAggregate } from '../dialects/gen-ai/gen-ai.ts'
import { genkitParameters, isGenkitModel } from '../dialects/genkit/genkit.ts'
import { isVercelAi, vercelAiParameters } from '../dialects/vercel-ai/vercel-ai.ts'
import { isNullText, jsonAttribute, jsonText } from '../rules/json-attribute.ts'
import { type AttributeRule, findFirst, firstOf, forColumn, type Rule, spanAttribute } from '../rules/rules.ts'
import { valueKind } from '../span-view/any-value.ts'
import { deadKey } from '../span-view/attribute-store.ts'
import { numberText, writeJson, writeJsonString } from '../span-view/json-text.ts'
import { keyFlag } from '../span-view/key-table.ts'
import { type KnownKey, keyNumber } from '../span-view/keys.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

export const modelRules = forColumn<readonly AttributeRule[]>('provided_model_name', [
  spanAttribute('svc.observation.model.name'),
  spanAttribute('gen_ai.response.model'),
  spanAttribute('ai.model.id'),
  spanAttribute('gen_ai.request.model'),
  spanAttribute('llm.response.model'),
  spanAttribute('llm.model_name'),
  spanAttribute('model'),
  spanAttribute('genkit:name', 'truthy', isGenkitModel),
  spanAttribute('ai.response.model'),
  spanAttribute('embedding.model_name'),
  spanAttribute('model_name'),
])

/** Parameters as one JSON value. Whatever is JSON counts, `{}` as well. */
export const parameterRules = forColumn<readonly Rule<unknown>[]>('model_parameters', [
  {
    name: 'svc.observation.model.parameters',
    read: span => (isVercelAi(span) ? undefined : parametersOf(span, 'svc.observation.model.parameters', sdkParameters)),
  },
  genkitParameters,
  vercelAiParameters,
  ...(['llm.invocation_parameters', 'embedding.invocation_parameters', 'model_config'] as const).map(name => ({
    name,
    read: (span: SpanView) => parametersOf(span, name, given => (typeof given === 'object' && given !== null ? given : undefined)),
  })),
])

/** Objects, lists, and numbers but 0. */
const sdkParameters = (given: unknown): unknown => {
  const digits = numberText(given)
  if (digits !== undefined) return Number(digits) === 0 ? undefined : given
  return typeof given === 'object' && given !== null ? given : undefined
}

function parametersOf(span: SpanView, name: KnownKey, accepted: (given: unknown) => unknown): unknown {
  const entry = span.own.get(keyNumber(name))
  if (entry < 0 || !span.attributes.isTruthy(entry) || isNullText(span, entry)) return undefined
  const found = accepted(jsonAttribute(span, entry))
  if (found === undefined) span.lose('unreadable_json', entry)
  else span.trail?.use(name)
  return found
}

const noParameters = sourceOf('{}')

export function modelColumns(block: BlockBuilder): ColumnWriter {
  const modelName = block.column('provided_model_name', LowCardinalityColumn)
  const parameters = block.column('model_parameters', StringColumn)

  return (row, span) => {
    const model = isAggregate(span) ? -1 : findFirst(span, modelRules)
    const name = span.modelName
    readModelName(span, model)
    if (name.present) modelName.text(row, name.source, name.start, name.end)
    const given = firstOf(parameterRules, span)
    const text = given === undefined ? undefined : sanitized(given)
    const content = span.modelParameters
    if (text !== undefined) content.string(text)
    else if (requestParameters(span, content.writer())) content.written()
    else content.range(noParameters, 0, 2)
    parameters.text(row, content.source, content.start, content.end)
  }
}

/** MLflow writes every value as JSON; no model has quotes around its name. */
function readModelName(span: SpanView, entry: number): void {
  const { kinds, starts } = span.attributes
  const quoted = entry >= 0 && kinds[entry] === valueKind.text && span.source.bytes[starts[entry]!] === 0x22
  const decoded = quoted ? jsonAttribute(span, entry) : undefined
  if (typeof decoded === 'string') span.modelName.string(decoded)
  else span.modelName.attribute(span, entry)
}

/** JSON text of parameters: texts and numbers stay, everything else becomes its JSON text. Undefined when it is nested beyond what can be written. */
function sanitized(given: unknown): string | undefined {
  const digits = numberText(given)
  if (digits !== undefined) return digits
  const plain = Object.entries(given as object).map(([key, value]) => {
    const kept = typeof value === 'string' || numberText(value) !== undefined
    return [key, kept ? value : jsonText(value)] as const
  })
  return plain.some(([, value]) => value === undefined) ? undefined : JSON.stringify(Object.fromEntries(plain))
}

/** Attributes `gen_ai.request.*` and `llm.invocation_parameters.*` as one JSON object. False when there are none. */
function requestParameters(span: SpanView, out: ByteWriter): boolean {
  const { attributes, source } = span
  const { table } = attributes
  out.rewind()
  if ((attributes.seenFlags & keyFlag.modelParameter) === 0) return false
  span.trail?.begin()
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    const key = attributes.keys[entry]!
    if (key === deadKey || (table.flags(key) & keyFlag.modelParameter) === 0 || isOverridden(span, key)) continue
    if (attributes.kinds[entry] === valueKind.none) continue
    if (span.trail !== null) span.trail.used(span, entry)
    out.byte(out.length === 0 ? 0x7b : 0x2c)
    table.writeParameterName(out, key)
    out.byte(0x3a)
    const value = attributes.value(entry)
    const plain =
      value.kind === valueKind.text || value.kind === valueKind.int || (value.kind === valueKind.double && Number.isFinite(value.number))
    if (plain) {
      writeJson(out, source, value)
      continue
    }
    const text = renderText(source, value)
    writeJsonString(out, text, 0, text.length)
  }
  if (out.length === 0) return false
  span.trail?.foundUsed('model_parameters', 'request attributes')
  out.byte(0x7d)
  return true
}

/** The same name below both prefixes: the one of the invocation wins. */
function isOverridden({ own, attributes }: SpanView, key: number): boolean {
  if ((attributes.seenFlags & keyFlag.invocationParameter) === 0) return false
  const other = attributes.table.invocationParameter(key)
  return other >= 0 && own.get(other) >= 0
}
