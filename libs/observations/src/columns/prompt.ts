// The managed prompt that a generation used.
import { type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { attributeText } from '../rules/attribute-text.ts'
import type { Prompt, PromptCarrier } from '../rules/dialect.ts'
import { promptVersionOf } from '../rules/prompt-version.ts'
import { findFirst, forColumn } from '../rules/rules.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { CatalogLookup } from './catalog-lookup.ts'
import { type ColumnWriter, writeAttribute } from './column-writer.ts'

const promptNameRules = forColumn('prompt_name', attributesOf('prompt_name'))
const promptVersionRules = forColumn('prompt_version', attributesOf('prompt_version'))
const carriers = rulesOf('prompts')

/** Returns the first attribute that contains both the prompt's name and its version. */
function carrierOf({ own }: SpanView): PromptCarrier | undefined {
  for (let i = 0; i < carriers.length; i++) if (own.get(carriers[i]!.key) >= 0) return carriers[i]!
  return undefined
}

export function promptColumns(block: BlockBuilder, lookup: CatalogLookup): ColumnWriter {
  const id = block.column('prompt_id', StringColumn)
  const name = block.column('prompt_name', StringColumn)
  const version = block.column('prompt_version', NullableNumberColumn)

  return (row, span) => {
    const nameEntry = findFirst(span, promptNameRules)
    const versionEntry = findFirst(span, promptVersionRules)
    const carrier = carrierOf(span)
    const carrierEntry = carrier === undefined ? -1 : span.own.get(carrier.key)
    if (nameEntry < 0 && versionEntry < 0 && carrierEntry < 0) return
    if (span.type !== 'GENERATION') {
      for (const entry of [nameEntry, versionEntry, carrierEntry]) if (entry >= 0) span.leaveOut(entry)
      span.explanation?.findings.delete('prompt_name')
      span.explanation?.findings.delete('prompt_version')
      return
    }
    const carried = carrier?.read(span, carrierEntry)
    const promptName = nameEntry < 0 ? carried?.name : attributeText(span, nameEntry)
    const promptVersion = versionEntry < 0 ? carried?.version : promptVersionOf(attributeText(span, versionEntry))
    if (versionEntry >= 0 && promptVersion === undefined) span.lose('unfit_value', versionEntry)
    if (carrier !== undefined && carried !== undefined) explainCarried(span, carrier, carried, nameEntry, versionEntry)
    if (nameEntry >= 0) writeAttribute(name, row, span, nameEntry)
    else if (promptName !== undefined) name.string(row, promptName)
    if (promptVersion !== undefined) version.set(row, promptVersion)
    if (promptName === undefined || promptVersion === undefined) return
    const found = lookup.catalog?.promptId(span.context.batch.projectId, promptName, promptVersion)
    if (found == null) return
    id.string(row, found)
    span.explanation?.found('prompt_id', 'catalog')
  }
}

function explainCarried(
  { explanation }: SpanView,
  { name: rule, attribute }: PromptCarrier,
  { name, version }: Prompt,
  nameEntry: number,
  versionEntry: number,
): void {
  if (nameEntry < 0 && name !== undefined) explanation?.found('prompt_name', rule, [attribute])
  if (versionEntry < 0 && version !== undefined) explanation?.found('prompt_version', rule, [attribute])
}
