// Sizes of records in a batch of the Kafka protocol. A send contains one batch per partition, and brokers limit its size. If a batch
// exceeds max.message.bytes, the broker rejects the whole batch, and kafkajs does not retry it.
import type { NewRecord } from '../port.ts'

// Maximum bytes of the lengths, deltas and attributes of one record, which are varints.
const perRecord = 36
/** Bytes of a batch header. */
export const batchOverhead = 72
/** A topic's batch limit must exceed its largest record by this many bytes: the framing of batch and record, and a margin. */
export const maxRecordOverhead = 1024

export const payloadBytesOf = ({ key, value }: Pick<NewRecord, 'key' | 'value'>): number => (key?.length ?? 0) + (value?.length ?? 0)
export const wireBytesOf = (record: Pick<NewRecord, 'key' | 'value'>): number => perRecord + payloadBytesOf(record)
