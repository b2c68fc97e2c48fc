// What a record weighs in a batch of the Kafka protocol. Brokers count the batch per partition and send;
// above max.message.bytes they refuse all of it, and kafkajs does not try again.
import type { NewRecord } from '../port.ts'

// Lengths, deltas and attributes of one record: varints at their longest.
const perRecord = 36
/** Header of a batch. */
export const batchOverhead = 72
/**
 * What a topic must take above its largest record: the batch and the record around it, with room to spare.
 */
export const maxRecordOverhead = 1024

export const payloadBytesOf = ({ key, value }: Pick<NewRecord, 'key' | 'value'>): number => (key?.length ?? 0) + (value?.length ?? 0)
export const wireBytesOf = (record: Pick<NewRecord, 'key' | 'value'>): number => perRecord + payloadBytesOf(record)
