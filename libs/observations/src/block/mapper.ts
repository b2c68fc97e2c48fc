// Maps one span to one row through all column families. Metadata come last, because they keep everything that the other columns
// did not use.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { CatalogLookup } from '../columns/catalog-lookup.ts'
import type { ColumnWriter } from '../columns/column-writer.ts'
import { completionStartColumn } from '../columns/completion-start.ts'
import { environmentColumns } from '../columns/environment.ts'
import { experimentColumns } from '../columns/experiments.ts'
import { identityColumns } from '../columns/identity.ts'
import { inputOutputColumns, readInputOutput } from '../columns/input-output.ts'
import { levelColumns } from '../columns/level.ts'
import { keepUntaken } from '../columns/metadata/untaken.ts'
import { metadataColumns } from '../columns/metadata.ts'
import { modelColumns } from '../columns/model.ts'
import { nameColumn } from '../columns/name.ts'
import { promptColumns } from '../columns/prompt.ts'
import { provenanceColumns } from '../columns/provenance.ts'
import { toolColumns } from '../columns/tools.ts'
import { traceColumns } from '../columns/trace.ts'
import { typeColumn } from '../columns/type.ts'
import { usageColumns } from '../columns/usage.ts'
import type { KeyTable } from '../span-view/key-table.ts'
import type { SpanView } from '../span-view/span-view.ts'

export interface Mapper {
  startBlock(): void
  write(row: number, span: SpanView): void
}

/** Wraps a column family's writer, to measure it. */
export type Profile = (family: string, write: ColumnWriter) => ColumnWriter

export function createMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogLookup, profile?: Profile): Mapper {
  const metadata = metadataColumns(block, table)
  const usage = usageColumns(block, lookup, metadata.user)
  const families: readonly (readonly [family: string, write: ColumnWriter])[] = [
    ['identity', identityColumns(block)],
    // Runs before the columns that depend on the type.
    ['type', typeColumn(block)],
    // Between this and the next step, columns move tools from attributes into the input or read calls from the output.
    ['input and output, found', readInputOutput],
    ['metadata, collected', metadata.collect],
    ['tools', toolColumns(block, metadata.user)],
    ['input and output, written', inputOutputColumns(block)],
    ['name', nameColumn(block)],
    ['level', levelColumns(block)],
    ['environment', environmentColumns(block, table.brand)],
    ['trace', traceColumns(block)],
    ['model', modelColumns(block)],
    ['prompt', promptColumns(block, lookup)],
    ['completion start', completionStartColumn(block)],
    ['usage and cost', usage.write],
    ['experiment', experimentColumns(block)],
    ['provenance', provenanceColumns(block)],
    ['content, kept', keepUntaken],
    ['metadata, written', metadata.write],
  ]
  const writers = families.map(([family, write]) => profile?.(family, write) ?? write)

  return {
    startBlock() {
      metadata.startBlock()
      usage.startBlock()
    },
    write(row, span) {
      for (let i = 0; i < writers.length; i++) writers[i]!(row, span)
    },
  }
}
