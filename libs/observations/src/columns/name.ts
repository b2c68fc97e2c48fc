// The observation's name.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { type AttributeRule, findFirst, forColumn, spanAttribute } from '../rules/rules.ts'
import { Content } from '../span-view/content.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

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
  const name = new Content()

  return (row, span) => {
    readName(name, span)
    column.text(row, name.source, name.start, name.end)
  }
}

/** The name as it is stored; also what a trace without a name is called by its root. */
export function readName(into: Content, span: SpanView): void {
  const entry = findFirst(span, nameRules)
  if (entry >= 0) {
    into.attribute(span, entry)
    return
  }
  span.trail?.begin()
  const operation = findFirst(span, operationRules)
  if (operation < 0) {
    span.trail?.found('name', 'span name')
    into.range(span.source, span.nameStart, span.nameEnd)
    return
  }
  const functionId = findFirst(span, functionRules)
  span.trail?.foundUsed('name', 'Vercel AI operation')
  const out = into.writer()
  for (const part of [functionId, operation]) {
    if (part < 0) continue
    if (part === operation && functionId >= 0) out.byte(0x3a)
    const text = renderText(span.source, span.attributes.value(part))
    out.raw(text.bytes, 0, text.length)
  }
  into.written()
}
