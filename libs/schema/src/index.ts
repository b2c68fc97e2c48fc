export { defaultTopicPrefix, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'
export { UndecodableRecord } from './avro/undecodable-record.ts'
export { type BrandNames, brandAliasesOf, brandAliasesValid, brandAliasPattern, createBrandNames } from './brand.ts'
export { type DeadLetter, deadLetterForm, deadLetterId, decodeDeadLetter, encodeDeadLetter, readDeadLetter } from './dead-letter.ts'
export { eventsColumns, viewSelect } from './events/columns.ts'
export { metadataPairs } from './events/ddl.ts'
export { insertSettings } from './events/insert-settings.ts'
export { decodeLedgerRecord, encodeLedgerRecord, type LedgerRecord, repairLedgerGroup } from './ledger-record.ts'
export { ledgerColumns } from './ledger-table.ts'
export { columnStoreMigrations, lastV3Version } from './migrations/list.ts'
export { migrateColumnStore } from './migrations/migrate.ts'
export { MigrationError } from './migrations/migration-error.ts'
export type { ColumnStorePort, MigrationStep } from './migrations/port.ts'
export {
  type ContentEncoding,
  decodeSpanBatch,
  encodeSpanBatch,
  rowBytesOfRecord,
  rowTimeUs,
  type SpanBatch,
  type StagedOrigin,
} from './span-batch.ts'
export { maxRecordBytes, maxRecordRowBytes, maxStagedSpans, topicSpecs } from './topics.ts'
export type { TraceAttributes } from './trace-attributes.ts'
export type { TraceCandidate, TraceCandidates, TraceField } from './trace-candidates.ts'
export {
  decodeTraceWindow,
  encodeTraceWindow,
  parseTraceWindowKey,
  type TraceWindow,
  traceWindowKey,
} from './trace-window.ts'
