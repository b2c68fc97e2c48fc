// Severity and what went wrong.
import { type BlockBuilder, LowCardinalityColumn, StringColumn, sourceOf } from '@svc-server/column-store/native'
import { livekitDebug } from '../dialects/livekit/livekit.ts'
import { findFirst, firstOf, forColumn, type Rule, spanAttribute } from '../rules/rules.ts'
import { valueKind } from '../span-view/any-value.ts'
import { wireText } from '../span-view/json-text.ts'
import { keyNumber } from '../span-view/keys.ts'
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
const statusError = 2
const longestWord = 64

const sdkLevel: Rule<Level> = {
  name: 'svc.observation.level',
  read(span) {
    const entry = span.own.get(levelKey)
    if (entry < 0) return undefined
    const { kinds, starts, ends } = span.attributes
    const isWord = kinds[entry] === valueKind.text && ends[entry]! - starts[entry]! <= longestWord
    const level = isWord ? levels.get(wireText(span.source, starts[entry]!, ends[entry]!).trim().toUpperCase()) : undefined
    if (level === undefined) span.lose('unfit_value', entry)
    else span.trail?.use('svc.observation.level')
    return level
  },
}

export const levelRules = forColumn<readonly Rule<Level>[]>('level', [
  sdkLevel,
  { name: 'status code', read: span => (span.statusCode === statusError ? 'ERROR' : undefined) },
  livekitDebug,
])
export const statusMessageRules = forColumn('status_message', [spanAttribute('svc.observation.status_message', 'set')])

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
      span.trail?.found('status_message', 'status message')
      statusMessage.text(row, span.source, span.statusMessageStart, span.statusMessageEnd)
    }
  }
}
