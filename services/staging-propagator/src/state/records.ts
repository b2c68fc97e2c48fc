import { AppError } from '@svc-server/errors'
import type { LogRecord } from '@svc-server/log'
import { decodeTraceWindowEnd, parseTraceWindowKey } from '@svc-server/schema/trace-window'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { Change } from './fold.ts'
import { markOf, maxPosition } from './layout.ts'

const maxTraceKeyBytes = 0xffff

/**
 * Returns null if svc did not write the record, or if the record has no attributes. Throws `record_undecodable` if a newer version of svc
 * wrote the record: a skipped record would stay missing in the state, even after an upgrade to the newer version.
 */
export function changeOf(record: Pick<LogRecord, 'topic' | 'partition' | 'offset' | 'key' | 'value'>): Change | null {
  const { topic, partition, offset, key, value } = record
  try {
    const { traceKey, firstOffset } = parseTraceWindowKey(key ?? new Uint8Array(0))
    if (firstOffset > maxPosition || traceKey.length > maxTraceKeyBytes) return null
    if (value === null) return { traceKey, firstOffset, place: offset, window: null }
    const { endMs, fill } = decodeTraceWindowEnd(value)
    if (endMs < 0 || endMs > maxPosition) return null
    return { traceKey, firstOffset, place: offset, window: { endMs, mark: markOf(fill), record: value } }
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    if (error.reason !== 'unknown_fingerprint') return null
    const where = `${topic}/${partition}/${offset}`
    throw new AppError('record_undecodable', `${where} was written by a newer version: run that version, or a later version.`, {
      topic,
      partition,
      offset,
    })
  }
}
