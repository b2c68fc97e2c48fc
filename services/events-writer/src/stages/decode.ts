// Opens the envelope of a record. What is inside stays as it came: it is decoded by the encoder of each destination.
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { type Envelope, withPayload } from '@svc-server/stream/envelope'
import { emit, reject, type Stage } from '@svc-server/stream/stage'
import { type OpenRecord, openRecord } from '../records.ts'

/** Rejects: record_undecodable (F17). */
export function createDecodeStage(destinationsOf: (topic: string) => { readonly length: number }): Stage<Uint8Array, OpenRecord> {
  return function decode(record: Envelope<Uint8Array>) {
    const { topic, timestampMs } = record.position
    try {
      const opened = openRecord(topic, record.payload, timestampMs)
      // All of its blocks are in memory at the same time, and each of them is encoded.
      const times = destinationsOf(topic).length
      return emit(withPayload(record, { ...opened, rowBytes: opened.rowBytes * times, work: opened.work * times }))
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      return reject('decode', 'record_undecodable', error.message)
    }
  }
}
