import { type BlockBuilder, type ByteWriter, NullableNumberColumn, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import type { ColumnWriter } from './column-writer.ts'

const digits = Buffer.from('0123456789abcdef')

/** Writes lowercase hex digits. */
export function writeHex(out: ByteWriter, bytes: Uint8Array, start: number, length: 8 | 16): void {
  out.reserve(1 + length * 2)
  const target = out.bytes
  let at = out.length
  target[at++] = length * 2
  for (let i = start; i < start + length; i++) {
    const byte = bytes[i]!
    target[at++] = digits[byte >>> 4]!
    target[at++] = digits[byte & 15]!
  }
  out.length = at
}

export function identityColumns(block: BlockBuilder): ColumnWriter {
  const projectId = block.column('project_id', StringColumn)
  const traceId = block.column('trace_id', StringColumn)
  const spanId = block.column('span_id', StringColumn)
  const parentSpanId = block.column('parent_span_id', StringColumn)
  const startTime = block.column('start_time', NumberColumn)
  const endTime = block.column('end_time', NullableNumberColumn)

  return (row, span) => {
    const { bytes } = span.source
    const { project } = span.context
    projectId.text(row, project, 0, project.bytes.length)
    writeHex(traceId.at(row), bytes, span.traceId, 16)
    writeHex(spanId.at(row), bytes, span.spanId, 8)
    if (span.parentSpanId >= 0) writeHex(parentSpanId.at(row), bytes, span.parentSpanId, 8)
    startTime.set(row, span.startUs)
    endTime.set(row, span.endUs)
  }
}
