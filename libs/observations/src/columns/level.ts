// Severity and what went wrong.
import { type BlockBuilder, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { valueKind } from '../attributes/any-value.ts'
import { wireText } from '../attributes/json-text.ts'
import { keyNumber } from '../attributes/keys.ts'
import { findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, writeAttribute } from './column-writer.ts'

type Level = 'DEBUG' | 'DEFAULT' | 'WARNING' | 'ERROR'

const levels: ReadonlyMap<string, Level> = new Map([
  ...['DEBUG', 'TRACE', 'VERBOSE'].map(word => [word, 'DEBUG'] as const),
  ...['DEFAULT', 'INFO', 'LOG', 'NOTICE', 'OK', 'SUCCESS'].map(word => [word, 'DEFAULT'] as const),
  ...['WARNING', 'WARN'].map(word => [word, 'WARNING'] as const),
  ...['ERROR', 'FATAL', 'CRITICAL'].map(word => [word, 'ERROR'] as const),
])
const texts = { DEBUG: sourceOf('DEBUG'), DEFAULT: sourceOf('DEFAULT'), WARNING: sourceOf('WARNING'), ERROR: sourceOf('ERROR') } as const

const levelKey = keyNumber('svc.observation.level')
const messageRules = [spanAttribute('svc.observation.status_message', 'set')]
const statusError = 2
const longestWord = 64

/** The SDK's level when it is one of the known words, else what the span's status says. */
export function levelOf(span: SpanView): Level {
  const entry = span.own.get(levelKey)
  const { kinds, starts, ends } = span.attributes
  if (entry >= 0 && kinds[entry] === valueKind.text && ends[entry]! - starts[entry]! <= longestWord) {
    const level = levels.get(wireText(span.source, starts[entry]!, ends[entry]!).trim().toUpperCase())
    if (level !== undefined) return level
  }
  if (entry >= 0) span.leaveOut(entry)
  return span.statusCode === statusError ? 'ERROR' : 'DEFAULT'
}

export function levelColumns(block: BlockBuilder): ColumnWriter {
  const level = block.column('level', LowCardinalityColumn)
  const statusMessage = block.column('status_message', StringColumn)

  return (row, span) => {
    const text = texts[levelOf(span)]
    level.text(row, text, 0, text.bytes.length)
    const entry = findFirst(span, messageRules)
    if (entry >= 0) writeAttribute(statusMessage, row, span, entry)
    else if (span.statusMessageEnd > span.statusMessageStart) {
      statusMessage.text(row, span.source, span.statusMessageStart, span.statusMessageEnd)
    }
  }
}
