// Metrics of the writer.

import { denyListMetrics } from '@svc-server/deletions/metrics'
import { writeModes } from '@svc-server/modes/write-mode'
import { ageBuckets, anyValue, defineMetrics, durationBuckets, sizeBuckets } from '@svc-server/service/metrics'
import { completenessPaths } from '@svc-server/stream/completeness'

const rowBuckets = [1, 10, 100, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 80_000]

export const writerMetrics = defineMetrics({
  ...denyListMetrics,
  deniedItems: {
    type: 'counter',
    name: 'svc_writer_denied_items_total',
    help: 'Items, by table, that the writer stored as tombstones, because their trace or project was deleted.',
    labels: { table: anyValue },
  },
  deletionsPending: {
    type: 'gauge',
    name: 'svc_deletions_pending',
    help: 'Traces and projects whose deletion is in progress: they are hidden from reads, but not yet deleted from the tables.',
  },
  deletionsAge: { type: 'gauge', name: 'svc_deletions_oldest_seconds', help: 'Age of the oldest deletion in progress.' },
  insertSeconds: {
    type: 'histogram',
    name: 'svc_writer_insert_seconds',
    help: 'Duration of each attempt to insert a block, by result: stored, unsure or failed. After an unsure result, a probe determines whether the block was stored.',
    labels: { outcome: ['stored', 'unsure', 'failed'] },
    buckets: durationBuckets,
  },
  encodeSeconds: {
    type: 'histogram',
    name: 'svc_writer_encode_seconds',
    help: 'Time that the writer takes to turn records into a block. The time includes decompression, mapping, hashing, and the wait for the worker thread.',
    buckets: durationBuckets,
  },
  insertRows: {
    type: 'histogram',
    name: 'svc_writer_insert_rows',
    help: 'Rows of an inserted block. Small blocks cause additional merges in the column store.',
    buckets: rowBuckets,
  },
  insertBytes: { type: 'histogram', name: 'svc_writer_insert_bytes', help: 'Size of an inserted block.', buckets: sizeBuckets },
  spans: {
    type: 'counter',
    name: 'svc_writer_spans_total',
    help: 'Spans of acknowledged chunks, by result.',
    labels: { outcome: ['stored', 'dead_lettered'] },
  },
  chunks: {
    type: 'counter',
    name: 'svc_writer_chunks_total',
    help: 'Chunks by result: acknowledged, deferred or fenced. A deferred chunk is retried later with its intent. A fenced chunk is from a partition that a different process owns now.',
    labels: { outcome: ['acknowledged', 'deferred', 'fenced'] },
  },
  retries: {
    type: 'counter',
    name: 'svc_writer_retries_total',
    help: 'Pauses of the writer, by error code. The writer pauses when a column store or the log is down or overloaded.',
    labels: { code: anyValue },
  },
  backpressureSeconds: {
    type: 'counter',
    name: 'svc_writer_backpressure_seconds_total',
    help: 'Time that the writer waited because a column store or the log was down or overloaded.',
  },
  intentsReplayed: {
    type: 'counter',
    name: 'svc_writer_intent_replayed_total',
    help: 'Chunks that the writer rebuilt from their intents, because a crash or a pause had interrupted their inserts.',
  },
  rowsReinserted: {
    type: 'counter',
    name: 'svc_writer_reinserted_rows_total',
    help: 'Rows that the writer inserted again, by table. The writer inserts rows again if a probe did not find them, or could not distinguish them from other rows of the same version. The count includes rows that the writer copied to a dependent table (a table that a view fills).',
    labels: { table: anyValue },
  },
  rulesChanged: {
    type: 'counter',
    name: 'svc_writer_rules_changed_total',
    help: 'Chunks whose insert was interrupted and then repeated under changed rules. The rules are the mapping, the aliases, the write mode, the limits and the catalog. Repeating an insert under different rules can store some raw rows twice.',
  },
  mapping: {
    type: 'counter',
    name: 'svc_writer_mapping_total',
    help: 'Special cases of the mapping, by kind. Examples are values that stay in the metadata because a column could not store them unchanged, texts that were not UTF-8, models that the catalog does not know, and tokens that the writer counted itself.',
    labels: { outcome: anyValue },
  },
  deadLetters: {
    type: 'counter',
    name: 'svc_writer_dead_letters_total',
    help: 'Items that could not be stored, by stage and reason.',
    labels: { stage: anyValue, reason: anyValue },
  },
  deadLetterBytes: {
    type: 'gauge',
    name: 'svc_dead_letter_bytes',
    help: 'Bytes of all dead letters on the log. Every writer reports the bytes of all partitions, so do not add up the values of several writers. At the topic’s size limit, the log drops the oldest dead letters.',
  },
  deadLettersDropped: {
    type: 'counter',
    name: 'svc_dead_letters_dropped_total',
    help: 'Dead letters that left their topic after this process started, because of the topic’s size limit, their age or a purge. Every writer counts the dead letters of all partitions, so do not add up the values of several writers.',
  },
  endToEndSeconds: {
    type: 'histogram',
    name: 'svc_writer_end_to_end_seconds',
    help: 'Time from the acknowledgement of a chunk’s oldest record until the rows of the chunk are readable, by path. For staged spans, the measured time starts at their publication.',
    labels: { path: [...completenessPaths, 'other'] },
    buckets: ageBuckets,
  },
  completeUntil: {
    type: 'gauge',
    name: 'svc_complete_until_timestamp_seconds',
    help: 'Time before which all acknowledged data is readable, by path: direct, overflow (spans beyond their project’s share), staged, ingestion (events of the legacy API), scores. Every writer reports this time for all partitions. Use the earliest value. The metric is absent until the time is known.',
    labels: { path: completenessPaths },
  },
  lagSeconds: {
    type: 'gauge',
    name: 'svc_writer_lag_seconds',
    help: 'Age of the oldest record that is not stored yet.',
    labels: { topic: anyValue, partition: anyValue },
  },
  unaccountedSpans: {
    type: 'gauge',
    name: 'svc_unaccounted_spans',
    help: 'Missing spans, scores, run items and merged entities of this process’s partitions. An item below the committed offset is missing if it is not a dead letter, and at least one table of its write mode has no row for it. An item that the ledger does not account for is missing, too. For spans.staging, an item is also missing if the propagator has published it but the writer has not stored it. The value lags by svc_audit_lag_seconds. Must be 0.',
    labels: { topic: anyValue },
  },
  ledgerAudits: {
    type: 'counter',
    name: 'svc_ledger_audits_total',
    help: 'Rounds of the ledger audit. This audit sets svc_unaccounted_spans. Until the first round is done, the value 0 of svc_unaccounted_spans proves nothing.',
    labels: { outcome: ['done', 'failed'] },
  },
  lostRecords: {
    type: 'gauge',
    name: 'svc_log_lost_records',
    help: 'Damaged records of the embedded log that were skipped. The command “svc log lost” lists their offsets. Must be 0.',
    labels: { topic: anyValue },
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_writer_expired_records_total',
    help: 'Number of records that retention deleted before the group had committed any offset. Must be 0.',
    labels: { topic: anyValue, partition: anyValue },
  },
  unreadRecords: {
    type: 'gauge',
    name: 'svc_writer_unread_records',
    help: 'Number of records that the writer does not read, because this release does not read their topic.',
    labels: { topic: anyValue },
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_writer_other_mode_records_total',
    help: 'Records that were accepted in a different write mode than the current mode of this process. After a switch of the mode, the log still contains records of the previous mode. The writer stores each record in the tables of the record’s own mode.',
    labels: { mode: writeModes },
  },
  rowAudits: {
    type: 'counter',
    name: 'svc_row_audits_total',
    help: 'Rounds of the table audit. This audit also sets svc_unaccounted_spans. The outcome “unavailable” means that a store did not respond or a replica lagged. Such a round proves nothing.',
    labels: { outcome: ['done', 'unavailable', 'failed'] },
  },
  auditLagSeconds: {
    type: 'gauge',
    name: 'svc_audit_lag_seconds',
    help: 'Age of the oldest stored records that the row audit has not checked against the tables yet. The age must stay below the topic’s retention.',
    labels: { topic: anyValue, partition: anyValue },
  },
  auditPassedOffsets: {
    type: 'counter',
    name: 'svc_audit_passed_offsets_total',
    help: 'Offsets of records that retention deleted before the audit read them. The audit cannot determine whether the spans at the deleted offsets were stored.',
    labels: { topic: anyValue },
  },
  auditLostSpans: {
    type: 'counter',
    name: 'svc_audit_lost_spans_total',
    help: 'Missing spans, scores, run items and merged entities that cannot be stored any more, because retention has deleted their records. These items are no longer counted in svc_unaccounted_spans.',
    labels: { topic: anyValue },
  },
  ledgerSeconds: {
    type: 'histogram',
    name: 'svc_writer_ledger_seconds',
    help: 'Time to write a chunk’s row to ingest_ledger.',
    buckets: durationBuckets,
  },
  ledgerRecords: {
    type: 'counter',
    name: 'svc_writer_ledger_records_total',
    help: 'Records that the writer read from the ledger topic, by result. In these records, the propagator reports how many of its input items it published.',
    labels: { outcome: ['stored', 'dead_lettered'] },
  },
  halted: {
    type: 'gauge',
    name: 'svc_writer_halted',
    help: 'Partitions that are halted because of a fault that an operator must repair. Each halted partition is retried once a minute, and continues when a retry succeeds. A reader that has stopped because retention deleted its unread records adds one to this number, even if the reader has several partitions.',
  },
  halts: {
    type: 'counter',
    name: 'svc_writer_halts_total',
    help: 'Halts of partitions, by error code.',
    labels: { code: anyValue },
  },
})
