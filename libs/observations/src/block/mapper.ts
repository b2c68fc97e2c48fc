// Maps one span to one row. The mapper writes the metadata columns last, because they contain the data that no other column has used.
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

/** Wraps the writer of a column family, so that a bench can measure it. */
export type Profile = (family: string, write: ColumnWriter) => ColumnWriter

export function createMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogLookup, profile?: Profile): Mapper {
  const metadata = metadataColumns(block, table)
  const usage = usageColumns(block, lookup, metadata.user)
  const family = (name: string, write: ColumnWriter): ColumnWriter => profile?.(name, write) ?? write
  const identity = family('identity', identityColumns(block))
  const type = family('type', typeColumn(block))
  const findInputOutput = family('input and output, found', readInputOutput)
  const collectMetadata = family('metadata, collected', metadata.collect)
  const tools = family('tools', toolColumns(block, metadata.user))
  const inputOutput = family('input and output, written', inputOutputColumns(block))
  const name = family('name', nameColumn(block))
  const level = family('level', levelColumns(block))
  const environment = family('environment', environmentColumns(block, table.brand))
  const trace = family('trace', traceColumns(block))
  const model = family('model', modelColumns(block))
  const prompt = family('prompt', promptColumns(block, lookup))
  const completionStart = family('completion start', completionStartColumn(block))
  const usageAndCost = family('usage and cost', usage.write)
  const experiment = family('experiment', experimentColumns(block))
  const provenance = family('provenance', provenanceColumns(block))
  const keepContent = family('content, kept', keepUntaken)
  const writeMetadata = family('metadata, written', metadata.write)

  return {
    startBlock() {
      metadata.startBlock()
      usage.startBlock()
    },
    // The writers are called one by one instead of in a loop, because V8 inlines a call that always has the same target.
    write(row, span) {
      identity(row, span)
      // The type is written before the columns that depend on it.
      type(row, span)
      // `tools` moves tools into the input, and reads tool calls from the output. It must run before `inputOutput` writes the input.
      findInputOutput(row, span)
      collectMetadata(row, span)
      tools(row, span)
      inputOutput(row, span)
      name(row, span)
      level(row, span)
      environment(row, span)
      trace(row, span)
      model(row, span)
      prompt(row, span)
      completionStart(row, span)
      usageAndCost(row, span)
      experiment(row, span)
      provenance(row, span)
      keepContent(row, span)
      writeMetadata(row, span)
    },
  }
}
