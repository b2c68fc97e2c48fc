// The managed prompt that a generation was made with.
import { type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { jsonOf, memberOf } from '../attributes/json-attribute.ts'
import { numberText } from '../attributes/json-text.ts'
import { keyNumber } from '../attributes/keys.ts'
import { type AttributeRule, findFirst, forColumn, spanAttributes } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText, writeAttribute } from './column-writer.ts'

export const promptNameRules: readonly AttributeRule[] = forColumn(
  'prompt_name',
  spanAttributes('set', 'svc.observation.prompt.name', 'svc.prompt.name', 'ai.settings.context.svcPrompt.name'),
)
export const promptVersionRules: readonly AttributeRule[] = forColumn(
  'prompt_version',
  spanAttributes('set', 'svc.observation.prompt.version', 'svc.prompt.version', 'ai.settings.context.svcPrompt.version'),
)
/** Name and version in one JSON: the Vercel AI SDK up to 6. */
const telemetryPromptKey = keyNumber('ai.telemetry.metadata.svcPrompt')
const maxVersion = 65_535

export function promptColumns(block: BlockBuilder): ColumnWriter {
  const name = block.column('prompt_name', StringColumn)
  const version = block.column('prompt_version', NullableNumberColumn)

  function writeTelemetryPrompt(row: number, span: SpanView, entry: number, nameEntry: number, versionEntry: number): void {
    const prompt = jsonOf(span, 'ai.telemetry.metadata.svcPrompt')
    const promptName = memberOf(prompt, 'name')
    const promptVersion = memberOf(prompt, 'version')
    if (nameEntry < 0 && typeof promptName === 'string') {
      span.trail?.found('prompt_name', 'Vercel AI prompt', ['ai.telemetry.metadata.svcPrompt'])
      name.string(row, promptName)
    }
    const number = versionOf(typeof promptVersion === 'string' ? promptVersion : (numberText(promptVersion) ?? ''))
    if (versionEntry < 0 && number !== undefined) {
      span.trail?.found('prompt_version', 'Vercel AI prompt', ['ai.telemetry.metadata.svcPrompt'])
      version.set(row, number)
    }
    if (typeof promptName !== 'string') span.lose('unreadable_json', entry)
  }

  return (row, span) => {
    const nameEntry = findFirst(span, promptNameRules)
    const versionEntry = findFirst(span, promptVersionRules)
    const telemetryEntry = span.own.get(telemetryPromptKey)
    if (nameEntry < 0 && versionEntry < 0 && telemetryEntry < 0) return
    if (span.type !== 'GENERATION') {
      for (const entry of [nameEntry, versionEntry, telemetryEntry]) if (entry >= 0) span.leaveOut(entry)
      span.trail?.findings.delete('prompt_name')
      span.trail?.findings.delete('prompt_version')
      return
    }
    if (nameEntry >= 0) writeAttribute(name, row, span, nameEntry)
    if (telemetryEntry >= 0) writeTelemetryPrompt(row, span, telemetryEntry, nameEntry, versionEntry)
    if (versionEntry < 0) return
    const text = renderText(span.source, span.attributes.value(versionEntry))
    const number = versionOf(Buffer.from(text.bytes.buffer, 0, Math.min(text.length, 32)).toString())
    if (number !== undefined) version.set(row, number)
    else span.lose('unfit_value', versionEntry)
  }
}

/** The leading integer, where the column can hold it. */
function versionOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return number >= 0 && number <= maxVersion ? number : undefined
}
