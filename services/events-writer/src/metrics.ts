// What the writer measures.

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
    help: 'Items of deleted traces and projects, by table: stored as tombstones.',
    labels: { table: anyValue },
  },
  deletionsPending: {
    type: 'gauge',
    name: 'svc_deletions_pending',
    help: 'Deletions of traces and projects that this process carries out: hidden, and not yet gone from the tables.',
  },
  deletionsAge: { type: 'gauge', name: 'svc_deletions_oldest_seconds', help: 'How long the oldest of them is known.' },
  insertSeconds: {
    type: 'histogram',
    name: 'svc_writer_insert_seconds',
    help: 'One attempt to insert a block: stored (trusted), unsure (answered, but probed before it counts) or failed.',
    labels: { outcome: ['stored', 'unsure', 'failed'] },
    buckets: durationBuckets,
  },
  encodeSeconds: {
    type: 'histogram',
    name: 'svc_writer_encode_seconds',
    help: 'From records to a block: waiting for the worker thread, decompression, mapping, hashing.',
    buckets: durationBuckets,
  },
  insertRows: {
    type: 'histogram',
    name: 'svc_writer_insert_rows',
    help: 'Rows of a block. Small blocks cost merges.',
    buckets: rowBuckets,
  },
  insertBytes: { type: 'histogram', name: 'svc_writer_insert_bytes', help: 'Bytes of a block.', buckets: sizeBuckets },
  spans: {
    type: 'counter',
    name: 'svc_writer_spans_total',
    help: 'Spans of acknowledged chunks by what became of them.',
    labels: { outcome: ['stored', 'dead_lettered'] },
  },
  chunks: {
    type: 'counter',
    name: 'svc_writer_chunks_total',
    help: 'Chunks by outcome: acknowledged, deferred (kept with their intent), fenced (another owner has them).',
    labels: { outcome: ['acknowledged', 'deferred', 'fenced'] },
  },
  retries: {
    type: 'counter',
    name: 'svc_writer_retries_total',
    help: 'Waits for a column store or log that was down or overloaded, by the code of the error.',
    labels: { code: anyValue },
  },
  backpressureSeconds: {
    type: 'counter',
    name: 'svc_writer_backpressure_seconds_total',
    help: 'Time spent waiting for a column store or log that was down or overloaded.',
  },
  intentsReplayed: {
    type: 'counter',
    name: 'svc_writer_intent_replayed_total',
    help: 'Chunks rebuilt from an open intent, after a crash or a pause.',
  },
  rowsReinserted: {
    type: 'counter',
    name: 'svc_writer_reinserted_rows_total',
    help: 'Rows of a chunk that a probe found missing, or could not tell from others of their version, and that were inserted again, by table. Those that only a dependent table lacked were copied.',
    labels: { table: anyValue },
  },
  rulesChanged: {
    type: 'counter',
    name: 'svc_writer_rules_changed_total',
    help: 'Chunks with an open intent of other rules (mapping, aliases, mode, limits, catalogue) that were inserted by today’s: some raw rows may be there twice.',
  },
  mapping: {
    type: 'counter',
    name: 'svc_writer_mapping_total',
    help: 'Values of stored spans that a column could not take as they came (they stay in the metadata), texts that were no UTF-8, models that the catalogue does not know, and tokens counted here: by what happened.',
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
    help: 'Bytes of all dead letters on the log, as this process sees them. At the topic’s limit the oldest go.',
  },
  deadLettersDropped: {
    type: 'counter',
    name: 'svc_dead_letters_dropped_total',
    help: 'Dead letters that have left their topic since this process looks, by size, age or a purge. Every writer counts all of them.',
  },
  endToEndSeconds: {
    type: 'histogram',
    name: 'svc_writer_end_to_end_seconds',
    help: 'From the acknowledgement of the oldest record of a chunk to its rows being readable, by path. Of staged spans from their publication on.',
    labels: { path: [...completenessPaths, 'other'] },
    buckets: ageBuckets,
  },
  completeUntil: {
    type: 'gauge',
    name: 'svc_complete_until_timestamp_seconds',
    help: 'What was acknowledged before is readable, by its path: spans that go in front (direct) or beyond their project’s share (overflow), spans that are staged, events of the legacy API (ingestion), scores. Every writer says it of all partitions; the least counts. Absent until it is known.',
    labels: { path: completenessPaths },
  },
  lagSeconds: {
    type: 'gauge',
    name: 'svc_writer_lag_seconds',
    help: 'Age of the oldest record that is not stored.',
    labels: { topic: anyValue, partition: anyValue },
  },
  unaccountedSpans: {
    type: 'gauge',
    name: 'svc_unaccounted_spans',
    help: 'Spans, scores, run items and merged entities below the committed offset of this process’s partitions that lack a row in a table of their write mode and are no dead letter, or that the ledger does not account for; of spans.staging, also what was published and is not stored. Behind by svc_audit_lag_seconds. 0, always.',
    labels: { topic: anyValue },
  },
  ledgerAudits: {
    type: 'counter',
    name: 'svc_ledger_audits_total',
    help: 'Rounds of audits of the ledger behind svc_unaccounted_spans. Without done ones its 0 means nothing.',
    labels: { outcome: ['done', 'failed'] },
  },
  lostRecords: {
    type: 'gauge',
    name: 'svc_log_lost_records',
    help: 'Records of the embedded log that were damaged and have been given up (svc log lost). 0, always.',
    labels: { topic: anyValue },
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_writer_expired_records_total',
    help: 'Records that retention had taken before the group committed anything: it began behind them. 0, always.',
    labels: { topic: anyValue, partition: anyValue },
  },
  unreadRecords: {
    type: 'gauge',
    name: 'svc_writer_unread_records',
    help: 'Records that wait for the writer on a topic which this release does not read.',
    labels: { topic: anyValue },
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_writer_other_mode_records_total',
    help: 'Records that were accepted in another write mode than this process has, and stored in the tables of that mode: what is left of a switch.',
    labels: { mode: writeModes },
  },
  rowAudits: {
    type: 'counter',
    name: 'svc_row_audits_total',
    help: 'Rounds of audits of the tables behind svc_unaccounted_spans: done, unavailable (a store, or a replica that is behind: nothing was judged) or failed.',
    labels: { outcome: ['done', 'unavailable', 'failed'] },
  },
  auditLagSeconds: {
    type: 'gauge',
    name: 'svc_audit_lag_seconds',
    help: 'Age of what was stored and not yet looked for in its tables. Below the topic’s retention, always.',
    labels: { topic: anyValue, partition: anyValue },
  },
  auditPassedOffsets: {
    type: 'counter',
    name: 'svc_audit_passed_offsets_total',
    help: 'Offsets that retention took before the audit came to them: whether what was there is stored, nobody can say any more.',
    labels: { topic: anyValue },
  },
  auditLostSpans: {
    type: 'counter',
    name: 'svc_audit_lost_spans_total',
    help: 'Spans, scores, run items and merged entities that were missing when retention took their records: they left svc_unaccounted_spans without being stored.',
    labels: { topic: anyValue },
  },
  ledgerSeconds: {
    type: 'histogram',
    name: 'svc_writer_ledger_seconds',
    help: 'One write of a chunk’s row into ingest_ledger.',
    buckets: durationBuckets,
  },
  ledgerRecords: {
    type: 'counter',
    name: 'svc_writer_ledger_records_total',
    help: 'Records of the ledger topic, in which other stages say what they did with their input, by what became of them.',
    labels: { outcome: ['stored', 'dead_lettered'] },
  },
  halted: {
    type: 'gauge',
    name: 'svc_writer_halted',
    help: 'Partitions that stand still until an operator acts and are tried again once a minute, and 1 for a reader that has ended: retention has passed it.',
  },
  halts: {
    type: 'counter',
    name: 'svc_writer_halts_total',
    help: 'Times that a partition was found to stand still, by the code of the error.',
    labels: { code: anyValue },
  },
})
