export { defaultTopicPrefix, groupNames, type TopicName, topicNames } from '@svc-server/modes'
export { type UndecodableReason, UndecodableRecord } from './avro/undecodable-record.ts'
export { type BrandNames, brandAliasesOf, brandAliasesValid, brandAliasPattern, createBrandNames } from './brand.ts'
export { type DeadLetter, deadLetterForm, deadLetterId, decodeDeadLetter, encodeDeadLetter, readDeadLetter } from './dead-letter.ts'
export { type Column, eventsColumns, viewSelect } from './events/columns.ts'
export { metadataPairs } from './events/ddl.ts'
export { insertSettings } from './events/insert-settings.ts'
export { decodeLedgerRecord, encodeLedgerRecord, type LedgerRecord, repairLedgerGroup } from './ledger-record.ts'
export { ledgerColumns } from './ledger-table.ts'
export type { Placement } from './migrations/dialect.ts'
export { columnStoreMigrations, lastV3Version, type Migration } from './migrations/list.ts'
export { migrateColumnStore } from './migrations/migrate.ts'
export { MigrationError, type MigrationFailure } from './migrations/migration-error.ts'
export type { ColumnStorePort, MigrateOptions, MigrationStep } from './migrations/port.ts'
export {
  type ContentEncoding,
  decodeSpanBatch,
  encodeSpanBatch,
  rowBytesOfRecord,
  rowTimeUs,
  type SpanBatch,
  type StagedOrigin,
} from './span-batch.ts'
export { maxRecordBytes, maxRecordRowBytes, maxStagedSpans, type TopicOptions, type TopicSpec, topicSpecs } from './topics.ts'
export type { TraceAttributes } from './trace-attributes.ts'
export type { TraceCandidate, TraceCandidates, TraceField } from './trace-candidates.ts'
export {
  decodeTraceWindow,
  encodeTraceWindow,
  parseTraceWindowKey,
  type TraceWindow,
  type TraceWindowKey,
  traceWindowKey,
} from './trace-window.ts'
