// Severity and status message.
import { type BlockBuilder, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { findFirst, firstOf, forColumn } from '../rules/rules.ts'
import { type ColumnWriter, writeAttribute } from './column-writer.ts'

const texts = { DEBUG: sourceOf('DEBUG'), DEFAULT: sourceOf('DEFAULT'), WARNING: sourceOf('WARNING'), ERROR: sourceOf('ERROR') } as const

const levelRules = forColumn('level', rulesOf('level'))
const statusMessageRules = forColumn('status_message', attributesOf('status_message'))

export function levelColumns(block: BlockBuilder): ColumnWriter {
  const level = block.column('level', LowCardinalityColumn)
  const statusMessage = block.column('status_message', StringColumn)

  return (row, span) => {
    const found = firstOf(levelRules, span) ?? 'DEFAULT'
    span.failed = found === 'ERROR'
    const text = texts[found]
    level.text(row, text, 0, text.bytes.length)
    const entry = findFirst(span, statusMessageRules)
    if (entry >= 0) writeAttribute(statusMessage, row, span, entry)
    else if (span.statusMessageEnd > span.statusMessageStart) {
      span.explanation?.found('status_message', 'status message')
      statusMessage.text(row, span.source, span.statusMessageStart, span.statusMessageEnd)
    }
  }
}
