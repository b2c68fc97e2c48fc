// Creates the name of a span from two attributes: the function id (`ai.telemetry.functionId`) and the operation (`ai.operationId`).
import type { NameRule } from '../../rules/dialect.ts'
import { findFirst, spanAttribute } from '../../rules/rules.ts'
import { renderText } from '../../span-view/render-text.ts'
import './keys.ts'

const operationRules = [spanAttribute('ai.operationId', 'key')]
const functionRules = [spanAttribute('ai.telemetry.functionId')]

export const operationName: NameRule = {
  name: 'Vercel AI operation',
  write(into, span) {
    const operation = findFirst(span, operationRules)
    if (operation < 0) return false
    const functionId = findFirst(span, functionRules)
    const out = into.writer()
    for (const part of [functionId, operation]) {
      if (part < 0) continue
      if (part === operation && functionId >= 0) out.byte(0x3a)
      const text = renderText(span.source, span.attributes.value(part))
      out.raw(text.bytes, 0, text.length)
    }
    into.written()
    return true
  },
}
