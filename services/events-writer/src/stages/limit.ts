// Applies the gateway's limits when the writer reads a record. A record that announces more bytes or rows than the limits allow is never
// opened.

import type { Envelope } from '@svc-server/stream/envelope'
import { drop, emit, reject, type StageResult } from '@svc-server/stream/stage'
import type { OpenRecord } from '../records.ts'

export interface Limits {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
}

/** Drops: no_spans. Rejects: payload_too_large. */
export function createLimitStage({ maxRecordBytes, maxRowBytes }: Limits) {
  return function limit(record: Envelope<OpenRecord>): StageResult<OpenRecord> {
    const { items, decodedBytes, saidRowBytes, projectId } = record.payload
    if (items === 0) return drop('no_spans')
    const refuse = (why: string) => reject('limit', 'payload_too_large', why, projectId)
    if (decodedBytes > maxRecordBytes) return refuse(`${decodedBytes} bytes after decompression, but ${maxRecordBytes} are allowed`)
    // The limit does not count attributes that the propagator adds, because the gateway could not know their size. If a record does not
    // state its size, the writer checks each item when it opens the record.
    if ((saidRowBytes ?? 0) > maxRowBytes) return refuse(`${saidRowBytes} bytes of rows, but ${maxRowBytes} are allowed`)
    return emit(record)
  }
}
