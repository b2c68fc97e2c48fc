// One span to one row: all column families, in no order that matters, except that metadata comes last and keeps what the others left.
import type { BlockBuilder } from '@svc-server/column-store/native'
import type { KeyTable } from './attributes/key-table.ts'
import type { ColumnWriter } from './columns/column-writer.ts'
import { environmentColumns } from './columns/environment.ts'
import { identityColumns } from './columns/identity.ts'
import { inputOutputColumns } from './columns/input-output.ts'
import { levelColumns } from './columns/level.ts'
import { modelColumns } from './columns/model.ts'
import { nameColumn } from './columns/name.ts'
import { promptColumns } from './columns/prompt.ts'
import { provenanceColumns } from './columns/provenance.ts'
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

export function createMapper(block: BlockBuilder, table: KeyTable): Mapper {
  const metadata = metadataColumns(block, table)
  const writers: readonly ColumnWriter[] = [
    identityColumns(block),
    typeColumn(block),
    nameColumn(block),
    levelColumns(block),
    environmentColumns(block),
    traceColumns(block),
    inputOutputColumns(block),
    modelColumns(block),
    promptColumns(block),
    usageColumns(block),
    provenanceColumns(block),
    metadata.write,
  ]

  return {
    startBlock: metadata.startBlock,
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
