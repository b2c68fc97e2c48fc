// The managed prompt that a generation was made with, and when its first token came.
import { type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { valueKind } from '../attributes/any-value.ts'
import { parseJson, wireText } from '../attributes/json-text.ts'
import { type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText, writeAttribute } from './column-writer.ts'
import { typeOf } from './type.ts'

export const promptNameRules: readonly AttributeRule[] = [
  spanAttribute('svc.observation.prompt.name', 'set'),
  spanAttribute('svc.prompt.name', 'set'),
]
export const promptVersionRules: readonly AttributeRule[] = [
  spanAttribute('svc.observation.prompt.version', 'set'),
  spanAttribute('svc.prompt.version', 'set'),
]
const completionStartRules = [spanAttribute('svc.observation.completion_start_time', 'set')]
const maxVersion = 65_535

export function promptColumns(block: BlockBuilder): ColumnWriter {
  const name = block.column('prompt_name', StringColumn)
  const version = block.column('prompt_version', NullableNumberColumn)
  const completionStart = block.column('completion_start_time', NullableNumberColumn)

  return (row, span) => {
    const completionEntry = findFirst(span, completionStartRules)
    const completionUs = completionEntry < 0 ? undefined : timeOf(span, completionEntry)
    if (completionUs !== undefined) completionStart.set(row, completionUs)
    else if (completionEntry >= 0) span.leaveOut(completionEntry)
    const nameEntry = findFirst(span, promptNameRules)
    const versionEntry = findFirst(span, promptVersionRules)
    if (nameEntry < 0 && versionEntry < 0) return
    if (typeOf(span) !== 'GENERATION') {
      if (nameEntry >= 0) span.leaveOut(nameEntry)
      if (versionEntry >= 0) span.leaveOut(versionEntry)
      return
    }
    if (nameEntry >= 0) writeAttribute(name, row, span, nameEntry)
    if (versionEntry < 0) return
    const text = renderText(span.source, span.attributes.value(versionEntry))
    const number = Number.parseInt(Buffer.from(text.bytes.buffer, 0, Math.min(text.length, 32)).toString(), 10)
    if (number >= 0 && number <= maxVersion) version.set(row, number)
    else span.leaveOut(versionEntry)
  }
}

/** An ISO time, also wrapped in a JSON string as all SDKs send it. */
function timeOf(span: SpanView, entry: number): number | undefined {
  const value = span.attributes.value(entry)
  if (value.kind !== valueKind.text || value.end - value.start > 64) return undefined
  const text = wireText(span.source, value.start, value.end)
  const plain = text.startsWith('"') ? parseJson(text) : text
  return typeof plain === 'string' ? microsOfIso(plain) : undefined
}

/** Microseconds since the epoch; Date.parse knows milliseconds only. */
function microsOfIso(text: string): number | undefined {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  const fraction = /[.,](\d{4,})/.exec(text)?.[1]
  const below = fraction === undefined ? 0 : Number(fraction.slice(3, 6).padEnd(3, '0'))
  return ms * 1000 + below
}
