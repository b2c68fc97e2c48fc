// Which model was called, and with what parameters.
import { type BlockBuilder, type ByteWriter, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { valueKind } from '../attributes/any-value.ts'
import { deadKey } from '../attributes/attribute-store.ts'
import { numberText, parseJson, writeAscii, writeJson, writeJsonString } from '../attributes/json-text.ts'
import { keyFlag } from '../attributes/key-table.ts'
import { keyNumber } from '../attributes/keys.ts'
import { type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText, scratchWriter, writeAttribute } from './column-writer.ts'
import { wordOf, words } from './words.ts'

export const modelRules: readonly AttributeRule[] = [
  spanAttribute('svc.observation.model.name'),
  spanAttribute('gen_ai.response.model'),
  spanAttribute('ai.model.id'),
  spanAttribute('gen_ai.request.model'),
  spanAttribute('llm.response.model'),
  spanAttribute('llm.model_name'),
  spanAttribute('model'),
]
const parameterRules: readonly AttributeRule[] = [spanAttribute('svc.observation.model.parameters')]

const operationKey = keyNumber('gen_ai.operation.name')
const aggregating = words({ invoke_agent: true, agent_step: true })

/** An agent's span repeats the model and usage of its children: counting both would count twice. */
export const isAggregate = (span: SpanView): boolean => wordOf(span, operationKey, aggregating) === true

const noParameters = sourceOf('{}')

export function modelColumns(block: BlockBuilder): ColumnWriter {
  const modelName = block.column('provided_model_name', LowCardinalityColumn)
  const parameters = block.column('model_parameters', StringColumn)
  const scratch = scratchWriter()

  return (row, span) => {
    const model = isAggregate(span) ? -1 : findFirst(span, modelRules)
    if (model >= 0) writeAttribute(modelName, row, span, model)
    const given = findFirst(span, parameterRules)
    const text = given >= 0 ? parametersOfJson(span, given) : undefined
    if (given >= 0 && text === undefined) span.leaveOut(given)
    if (text !== undefined) parameters.string(row, text)
    else if (requestParameters(span, scratch)) parameters.text(row, scratch, 0, scratch.length)
    else parameters.text(row, noParameters, 0, 2)
  }
}

/** JSON text of the SDK's parameters: texts and numbers stay, everything else becomes its JSON text. Undefined when it is no object. */
function parametersOfJson(span: SpanView, entry: number): string | undefined {
  const text = renderText(span.source, span.attributes.value(entry))
  const parsed = parseJson(Buffer.from(text.bytes.buffer, 0, text.length).toString())
  if (typeof parsed !== 'object' || parsed === null) return numberText(parsed) === '0' ? undefined : numberText(parsed)
  try {
    const plain = Object.entries(parsed).map(([key, value]) => {
      const kept = typeof value === 'string' || numberText(value) !== undefined
      return [key, kept ? value : JSON.stringify(value)] as const
    })
    return numberText(parsed) ?? JSON.stringify(Object.fromEntries(plain))
  } catch {
    // Nested deeper than it can be written again.
    return undefined
  }
}

/** Attributes `gen_ai.request.*` and `llm.invocation_parameters.*` as one JSON object. False when there are none. */
function requestParameters(span: SpanView, out: ByteWriter): boolean {
  const { attributes, source } = span
  const { table } = attributes
  out.rewind()
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    const key = attributes.keys[entry]!
    if (key === deadKey || (table.flags(key) & keyFlag.modelParameter) === 0) continue
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
    if (value.kind === valueKind.none) {
      writeAscii(out, '"null"')
      continue
    }
    const text = renderText(source, value)
    writeJsonString(out, text, 0, text.length)
  }
  if (out.length === 0) return false
  out.byte(0x7d)
  return true
}
