// Writes the ids and the times of an observation to the v3 table. The times are in milliseconds.
import { type BlockBuilder, NullableNumberColumn, NullableStringColumn, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import type { SpanView } from '../../span-view/span-view.ts'
import type { ColumnWriter } from '../column-writer.ts'
import { writeHex } from '../identity.ts'

export const milliseconds = (us: number): number => Math.floor(us / 1000)

export function observationIdentity(block: BlockBuilder): ColumnWriter {
  const id = block.column('id', StringColumn)
  const traceId = block.column('trace_id', StringColumn)
  const projectId = block.column('project_id', StringColumn)
  const parent = block.column('parent_observation_id', NullableStringColumn)
  const startTime = block.column('start_time', NumberColumn)
  const endTime = block.column('end_time', NullableNumberColumn)
  const made = ['created_at', 'updated_at', 'event_ts'].map(name => block.column(name, NumberColumn))

  return (row, span) => {
    const { source, context } = span
    const { project, rowTimeUs } = context
    projectId.text(row, project, 0, project.bytes.length)
    writeHex(traceId.at(row), source.bytes, span.traceId, 16)
    writeHex(id.at(row), source.bytes, span.spanId, 8)
    if (span.parentSpanId >= 0) parent.string(row, hexOf(span, span.parentSpanId))
    startTime.set(row, milliseconds(span.startUs))
    endTime.set(row, milliseconds(span.endUs))
    for (const column of made) column.set(row, milliseconds(rowTimeUs))
  }
}

const hexOf = ({ source: { bytes } }: SpanView, at: number): string => Buffer.from(bytes.buffer, bytes.byteOffset + at, 8).toString('hex')
