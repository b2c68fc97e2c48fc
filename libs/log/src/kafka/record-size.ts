// Sizes of records in a batch. If a batch exceeds max.message.bytes, the broker rejects the whole batch, and kafkajs does not retry it.
import type { NewRecord } from '../port.ts'

// Maximum size of all fields of a record except the key and the value: lengths, attributes, and the differences of time and offset.
const perRecord = 36
/** Bytes of a batch header. */
export const batchOverhead = 72
/** A topic's batch limit must exceed its record limit by this many bytes, for the framing and a margin. */
export const maxRecordOverhead = 1024

export const payloadBytesOf = ({ key, value }: Pick<NewRecord, 'key' | 'value'>): number => (key?.length ?? 0) + (value?.length ?? 0)
export const wireBytesOf = (record: Pick<NewRecord, 'key' | 'value'>): number => perRecord + payloadBytesOf(record)
