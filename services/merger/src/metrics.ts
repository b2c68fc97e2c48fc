// Metrics of the merger.
import { writeModes } from '@svc-server/modes/write-mode'
import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const mergerMetrics = defineMetrics({
  events: {
    type: 'counter',
    name: 'svc_merger_events_total',
    help: 'Events of the legacy API, and parts (what spans and observations contribute to their trace), by result.',
    labels: { outcome: ['merged', 'denied', 'dead_lettered'] },
  },
  entities: { type: 'counter', name: 'svc_merger_entities_total', help: 'Versions of traces and observations that the merger published.' },
  lookups: {
    type: 'counter',
    name: 'svc_merger_lookups_total',
    help: 'Entities that were missing from the state and were looked up in the old tables.',
  },
  spans: {
    type: 'counter',
    name: 'svc_merger_spans_total',
    help: 'Spans that the merger read to find the attributes of their traces. The merger skips spans that are stored only in the events tables.',
  },
  unreadableSpans: {
    type: 'counter',
    name: 'svc_merger_unreadable_records_total',
    help: 'Span records that the merger could not read. The writer dead-letters these records.',
  },
  cut: {
    type: 'counter',
    name: 'svc_merger_cut_values_total',
    help: 'Trace attributes that the merger left out, because they are too large for a record of the trace. The attributes remain on the spans in which clients sent these attributes.',
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_merger_other_mode_records_total',
    help: 'Records that were accepted in a different write mode than the current mode of this process. After a switch of the mode, the log still contains records of the previous mode. The merger handles each record in the record’s own mode.',
    labels: { mode: writeModes },
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_merger_expired_records_total',
    help: 'Number of records that retention deleted before the group had committed any offset. Must be 0.',
    labels: { topic: anyValue, partition: anyValue },
  },
  lagSeconds: {
    type: 'gauge',
    name: 'svc_merger_lag_seconds',
    help: 'Age of the oldest record that is neither merged nor skipped. While the merger skips every record, it pauses for a second between reads, so the value is about a second.',
    labels: { topic: anyValue, partition: anyValue },
  },
  fenced: {
    type: 'counter',
    name: 'svc_merger_fenced_total',
    help: 'Commits that were refused because another process owns the partition.',
  },
  retries: {
    type: 'counter',
    name: 'svc_merger_retries_total',
    help: 'Pauses of partitions, by error code. A partition pauses when a store does not respond.',
    labels: { code: anyValue },
  },
  halted: {
    type: 'gauge',
    name: 'svc_merger_halted',
    help: 'Partitions that are halted because of a fault that an operator must repair. Each halted partition is retried once a minute, and continues when a retry succeeds. A reader that has stopped because retention deleted its unread records adds one to this number, even if the reader has several partitions.',
  },
})
