// Stages pass an envelope to each other. The envelope contains a payload, the payload's origin, and the record's raw bytes. If a stage
// rejects the payload, the `Rejection` keeps the raw bytes for the dead letter.
import type { LogRecord, RecordPosition } from '@svc-server/log'

export interface Envelope<T> {
  readonly payload: T
  readonly position: RecordPosition
  /** The record's value. It is empty for a tombstone. */
  readonly raw: Uint8Array
}

const noBytes = new Uint8Array(0)

export function envelopeOf(record: LogRecord): Envelope<Uint8Array> {
  const raw = record.value ?? noBytes
  const { topic, partition, offset, timestampMs } = record
  return { payload: raw, position: { topic, partition, offset, timestampMs }, raw }
}

export const withPayload = <T>(envelope: Envelope<unknown>, payload: T): Envelope<T> => ({
  payload,
  position: envelope.position,
  raw: envelope.raw,
})
