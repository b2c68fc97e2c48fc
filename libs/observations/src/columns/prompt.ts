// The managed prompt that a generation was made with.
import { type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { attributeText } from '../rules/attribute-text.ts'
import { jsonOf, memberOf } from '../rules/json-attribute.ts'
import { type AttributeRule, findFirst, forColumn, spanAttributes } from '../rules/rules.ts'
import { numberText } from '../span-view/json-text.ts'
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { CatalogueLookup } from './catalogue-lookup.ts'
import { type ColumnWriter, writeAttribute } from './column-writer.ts'

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

interface Prompt {
  readonly name: string | undefined
  readonly version: number | undefined
}

export function promptColumns(block: BlockBuilder, lookup: CatalogueLookup): ColumnWriter {
  const id = block.column('prompt_id', StringColumn)
  const name = block.column('prompt_name', StringColumn)
  const version = block.column('prompt_version', NullableNumberColumn)

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
    const telemetry = telemetryEntry < 0 ? undefined : telemetryPrompt(span, telemetryEntry)
    const promptName = nameEntry < 0 ? telemetry?.name : attributeText(span, nameEntry)
    const promptVersion = versionEntry < 0 ? telemetry?.version : versionOf(attributeText(span, versionEntry))
    if (versionEntry >= 0 && promptVersion === undefined) span.lose('unfit_value', versionEntry)
    if (telemetry !== undefined) explainTelemetry(span, telemetry, nameEntry, versionEntry)
    if (nameEntry >= 0) writeAttribute(name, row, span, nameEntry)
    else if (promptName !== undefined) name.string(row, promptName)
    if (promptVersion !== undefined) version.set(row, promptVersion)
    if (promptName === undefined || promptVersion === undefined) return
    const found = lookup.catalogue?.promptId(span.context.batch.projectId, promptName, promptVersion)
    if (found == null) return
    id.string(row, found)
    span.trail?.found('prompt_id', 'catalogue')
  }
}

function telemetryPrompt(span: SpanView, entry: number): Prompt {
  const prompt = jsonOf(span, 'ai.telemetry.metadata.svcPrompt')
  const name = memberOf(prompt, 'name')
  const version = memberOf(prompt, 'version')
  if (typeof name !== 'string') span.lose('unreadable_json', entry)
  return {
    name: typeof name === 'string' ? name : undefined,
    version: versionOf(typeof version === 'string' ? version : (numberText(version) ?? '')),
  }
}

function explainTelemetry({ trail }: SpanView, { name, version }: Prompt, nameEntry: number, versionEntry: number): void {
  if (trail === null) return
  const used = ['ai.telemetry.metadata.svcPrompt']
  if (nameEntry < 0 && name !== undefined) trail.found('prompt_name', 'Vercel AI prompt', used)
  if (versionEntry < 0 && version !== undefined) trail.found('prompt_version', 'Vercel AI prompt', used)
}

/** The leading integer, where the column can hold it. */
function versionOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10)
  return number >= 0 && number <= maxVersion ? number : undefined
}
