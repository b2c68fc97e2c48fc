// The envelope that one stage passes to the next: a payload, its origin, and the raw bytes of the record. The raw bytes are kept, so that a
// later rejection stores the item exactly as it was read.
import type { LogRecord, RecordPosition } from '@svc-server/log'

export interface Envelope<T> {
  readonly payload: T
  readonly position: RecordPosition
  /** The value of the record as it was read; empty for a tombstone. */
  readonly raw: Uint8Array
}

const noBytes = new Uint8Array(0)

export function envelopeOf(record: LogRecord): Envelope<Uint8Array> {
  const raw = record.value ?? noBytes
  const { topic, partition, offset, timestampMs } = record
  return { payload: raw, position: { topic, partition, offset, timestampMs }, raw }
}

/** Returns a copy of the envelope with a different payload, and with the same provenance and raw bytes. */
export const withPayload = <T>(envelope: Envelope<unknown>, payload: T): Envelope<T> => ({
  payload,
  position: envelope.position,
  raw: envelope.raw,
})
