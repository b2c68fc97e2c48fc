// The model that was called, and its parameters.
import { type BlockBuilder, type ByteWriter, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { jsonAttribute } from '../rules/json-attribute.ts'
import { parametersText, RepeatedParameters } from '../rules/model-parameters.ts'
import { findFirst, firstOf, forColumn } from '../rules/rules.ts'
import { emptyValue, valueKind } from '../span-view/any-value.ts'
import type { Content } from '../span-view/content.ts'
import { writeJson, writeJsonString } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'
import { repeatsChildren } from './repeats.ts'

const modelRules = forColumn('provided_model_name', attributesOf('provided_model_name'))
/** These attributes contain all parameters as JSON. Any JSON value is accepted, even `{}`. */
const parameterRules = forColumn('model_parameters', rulesOf('modelParameters'))

const noParameters = sourceOf('{}')
const read = emptyValue()

export function modelColumns(block: BlockBuilder): ColumnWriter {
  const modelName = block.column('provided_model_name', LowCardinalityColumn)
  const parameters = block.column('model_parameters', StringColumn)

  return (row, span) => {
    const model = repeatsChildren(span) ? -1 : findFirst(span, modelRules)
    const name = span.modelName
    readModelName(span, model)
    if (name.present) modelName.text(row, name.source, name.start, name.end)
    const given = firstOf(parameterRules, span)
    const content = span.modelParameters
    if (!readGiven(content, given)) {
      if (requestParameters(span, content.writer())) content.written()
      else content.range(noParameters, 0, 2)
    }
    parameters.text(row, content.source, content.start, content.end)
  }
}

/** Returns false if there are no parameters, or if they are nested too deeply to serialize. */
function readGiven(into: Content, given: unknown): boolean {
  if (given instanceof RepeatedParameters) {
    if (given.text !== undefined) into.range(given.text, 0, given.text.bytes.length)
    return given.text !== undefined
  }
  const text = given === undefined ? undefined : parametersText(given)
  if (text !== undefined) into.string(text)
  return text !== undefined
}

/** MLflow sends the name as JSON, so the quotes are removed. */
function readModelName(span: SpanView, entry: number): void {
  const { kinds, starts } = span.attributes
  const quoted = entry >= 0 && kinds[entry] === valueKind.text && span.source.bytes[starts[entry]!] === 0x22
  const decoded = quoted ? jsonAttribute(span, entry) : undefined
  if (typeof decoded === 'string') span.modelName.string(decoded)
  else span.modelName.attribute(span, entry)
}

/** Collects `gen_ai.request.*` and `llm.invocation_parameters.*` into one JSON object. Returns false if there are none. */
function requestParameters(span: SpanView, out: ByteWriter): boolean {
  const { attributes, source } = span
  const { table } = attributes
  out.rewind()
  if ((attributes.seenFlags & keyFlag.modelParameter) === 0) return false
  span.explanation?.begin()
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & keyFlag.modelParameter) === 0 || attributes.kinds[entry] === valueKind.none) continue
    if (span.moved.has(entry)) continue
    const key = attributes.keys[entry]!
    if (isOverridden(span, key)) continue
    if (span.explanation !== null) span.explanation.used(span, entry)
    out.byte(out.length === 0 ? 0x7b : 0x2c)
    table.writeParameterName(out, key)
    out.byte(0x3a)
    const value = attributes.valueIn(read, entry)
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
  span.explanation?.foundUsed('model_parameters', 'request attributes')
  out.byte(0x7d)
  return true
}

/** An invocation parameter overrides a request parameter of the same name. */
function isOverridden({ own, attributes }: SpanView, key: number): boolean {
  if ((attributes.seenFlags & keyFlag.invocationParameter) === 0) return false
  const other = attributes.table.overridingKey(key)
  return other >= 0 && own.get(other) >= 0
}
