// One span to one row: all column families. Metadata comes last and keeps what the others left.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { KeyTable } from './attributes/key-table.ts'
import type { CatalogueLookup } from './catalogue-lookup.ts'
import type { ColumnWriter } from './columns/column-writer.ts'
import { completionStartColumn } from './columns/completion-start.ts'
import { environmentColumns } from './columns/environment.ts'
import { experimentColumns } from './columns/experiments.ts'
import { identityColumns } from './columns/identity.ts'
import { inputOutputColumns, readInputOutput } from './columns/input-output.ts'
import { levelColumns } from './columns/level.ts'
import { modelColumns } from './columns/model.ts'
import { nameColumn } from './columns/name.ts'
import { promptColumns } from './columns/prompt.ts'
import { provenanceColumns } from './columns/provenance.ts'
import { toolColumns } from './columns/tools.ts'
import { traceColumns } from './columns/trace.ts'
import { typeColumn } from './columns/type.ts'
import { usageColumns } from './columns/usage.ts'
import { metadataColumns } from './metadata/metadata-columns.ts'
import type { Probe } from './months.ts'
import type { SpanView } from './span-view.ts'

export interface Mapper {
  startBlock(): void
  write(row: number, span: SpanView): void
  probe(span: SpanView): Probe
}

export function createMapper(block: BlockBuilder, table: KeyTable, lookup: CatalogueLookup): Mapper {
  const metadata = metadataColumns(block, table)
  const usage = usageColumns(block, lookup, metadata.user)
  const writers: readonly ColumnWriter[] = [
    identityColumns(block),
    // Before those who ask for the type.
    typeColumn(block),
    // What moves tools from attributes into the input, or reads calls from the output, stands between these two.
    readInputOutput,
    metadata.collect,
    toolColumns(block, metadata.user),
    inputOutputColumns(block),
    nameColumn(block),
    levelColumns(block),
    environmentColumns(block, table.brand),
    traceColumns(block),
    modelColumns(block),
    promptColumns(block, lookup),
    completionStartColumn(block),
    usage.write,
    experimentColumns(block),
    provenanceColumns(block),
    metadata.write,
  ]

  return {
    startBlock() {
      metadata.startBlock()
      usage.startBlock()
    },
    write(row, span) {
      for (let i = 0; i < writers.length; i++) writers[i]!(row, span)
    },
    probe: ({ source, traceId, spanId, startUs, index, context }) => ({
      projectId: context.batch.projectId,
      traceId: Buffer.from(source.bytes.subarray(traceId, traceId + 16)).toString('hex'),
      spanId: Buffer.from(source.bytes.subarray(spanId, spanId + 8)).toString('hex'),
      startTimeUs: String(startUs),
      provenance: context.provenance + index,
    }),
  }
}
