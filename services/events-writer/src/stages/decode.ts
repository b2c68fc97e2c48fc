// This stage hands a record to the next stage if at least one table takes the record in the record's write mode. The encoders decode the
// payload.
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { type Envelope, withPayload } from '@svc-server/stream/envelope'
import { drop, emit, reject, type Stage } from '@svc-server/stream/stage'
import type { DestinationsOf } from '../destinations/destination.ts'
import { isForLater, type OpenRecord, openRecord } from '../records.ts'

/**
 * Drops records that no destination stores now; the reason is `for_later` or `other_mode`. Rejects unreadable records with the reason
 * `record_undecodable` (F17).
 */
export function createDecodeStage(destinationsOf: DestinationsOf): Stage<Uint8Array, OpenRecord> {
  return function decode(record: Envelope<Uint8Array>) {
    const { topic, timestampMs } = record.position
    if (isForLater(topic, record.payload)) return drop('for_later')
    try {
      const opened = openRecord(topic, record.payload, timestampMs)
      // The record's bytes and work are counted once per destination, because the blocks of all destinations are in memory at once.
      const takers = destinationsOf(topic, opened.writeMode).length
      if (takers === 0) return drop('other_mode')
      const times = opened.inEach ? takers : 1
      return emit(withPayload(record, { ...opened, rowBytes: opened.rowBytes * times, work: opened.work * times }))
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      // The write mode of an undecodable record is unknown, so the writer's own mode applies.
      if (destinationsOf(topic, null).length === 0) return drop('other_mode')
      return reject('decode', 'record_undecodable', error.message)
    }
  }
}
