// Applies the gateway's limits again. If the sizes that a record states exceed a limit, the writer rejects the record without opening it.

import type { Envelope } from '@svc-server/stream/envelope'
import { drop, emit, reject, type StageResult } from '@svc-server/stream/stage'
import type { OpenRecord } from '../records.ts'

export interface Limits {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
}

/** Drops records without items (reason no_spans). Rejects records above a limit (reason payload_too_large). */
export function createLimitStage({ maxRecordBytes, maxRowBytes }: Limits) {
  return function limit(record: Envelope<OpenRecord>): StageResult<OpenRecord> {
    const { items, decodedBytes, saidRowBytes, projectId } = record.payload
    if (items === 0) return drop('no_spans')
    const refuse = (why: string) => reject('limit', 'payload_too_large', why, projectId)
    if (decodedBytes > maxRecordBytes) return refuse(`${decodedBytes} bytes after decompression, but ${maxRecordBytes} are allowed`)
    // The gateway states `saidRowBytes`. Attributes that the propagator adds are not included, because the gateway could not know their
    // size. Records of older gateways do not state the size of their rows. For such a record, the encoder checks the size item by item.
    if ((saidRowBytes ?? 0) > maxRowBytes) return refuse(`${saidRowBytes} bytes of rows, but ${maxRowBytes} are allowed`)
    return emit(record)
  }
}
