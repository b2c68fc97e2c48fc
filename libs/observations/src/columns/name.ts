// The observation's name.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { type AttributeRule, findFirst, forColumn, spanAttribute } from '../rules.ts'
import { type ColumnWriter, renderText, scratchWriter, writeAttribute } from './column-writer.ts'

/** `genkit:name` and `ai.toolCall.name` count when the key is there, even with an empty text. */
export const nameRules = forColumn<readonly AttributeRule[]>('name', [
  spanAttribute('gen_ai.tool.name'),
  spanAttribute('genkit:name', 'key'),
  spanAttribute('logfire.msg'),
  spanAttribute('ai.toolCall.name', 'key'),
])
const operationRules = [spanAttribute('ai.operationId', 'key')]
const functionRules = [spanAttribute('ai.telemetry.functionId')]

export function nameColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('name', StringColumn)
  const operationName = scratchWriter()

  return (row, span) => {
    const entry = findFirst(span, nameRules)
    if (entry >= 0) {
      writeAttribute(column, row, span, entry)
      return
    }
    span.trail?.begin()
    const operation = findFirst(span, operationRules)
    if (operation < 0) {
      span.trail?.found('name', 'span name')
      column.text(row, span.source, span.nameStart, span.nameEnd)
      return
    }
    operationName.rewind()
    const functionId = findFirst(span, functionRules)
    span.trail?.foundUsed('name', 'Vercel AI operation')
    for (const part of [functionId, operation]) {
      if (part < 0) continue
      if (part === operation && functionId >= 0) operationName.byte(0x3a)
      const text = renderText(span.source, span.attributes.value(part))
      operationName.raw(text.bytes, 0, text.length)
    }
    column.text(row, operationName, 0, operationName.length)
  }
}
