export { type UndecodableReason, UndecodableRecord } from './avro/undecodable-record.ts'
export { type DeadLetter, deadLetterId, decodeDeadLetter, encodeDeadLetter } from './dead-letter.ts'
export { type Column, eventsColumns, viewSelect } from './events/columns.ts'
export { insertSettings } from './events/insert-settings.ts'
export { type ContentEncoding, decodeSpanBatch, encodeSpanBatch, type SpanBatch } from './span-batch.ts'
export {
  defaultTopicPrefix,
  groupNames,
  maxRecordBytes,
  type TopicName,
  type TopicOptions,
  type TopicSpec,
  topicNames,
  topicSpecs,
} from './topics.ts'
export type { TraceAttributes } from './trace-attributes.ts'
