// Metrics of the propagator.
import { denyListMetrics } from '@svc-server/deletions/metrics'
import { writeModes } from '@svc-server/modes/write-mode'
import { anyValue, defineMetrics, durationBuckets } from '@svc-server/service/metrics'

export const propagatorMetrics = defineMetrics({
  ...denyListMetrics,
  openWindows: { type: 'gauge', name: 'svc_propagator_open_windows', help: 'Open windows in this process.' },
  oldestWindowAgeSeconds: {
    type: 'gauge',
    name: 'svc_propagator_oldest_window_age_seconds',
    help: 'Time since the oldest window that is not completely published was opened here.',
  },
  windows: {
    type: 'counter',
    name: 'svc_propagator_windows_total',
    help: 'Published windows, by what closed them: a later record, time on an idle partition, their size, or a restart in the middle of one.',
    labels: { closed_by: ['record', 'time', 'size', 'restart'] },
  },
  windowExits: {
    type: 'counter',
    name: 'svc_propagator_window_exit_total',
    help: 'Traces of published windows, by whether their root and attributes were known at publication. Above a limit, spans are published with no trace attributes or only some of them.',
    labels: { reason: ['root_seen', 'root_missing', 'over_trace_limit', 'over_project_limit'] },
  },
  spans: {
    type: 'counter',
    name: 'svc_propagator_spans_total',
    help: 'Staged spans, by how they were published. A dead letter that cannot be read counts as one span.',
    labels: { outcome: ['filled', 'unfilled', 'dead_lettered'] },
  },
  cut: {
    type: 'counter',
    name: 'svc_propagator_cut_values_total',
    help: 'Values and tags that were too long or too numerous to be filled into other spans. The spans that carry them keep them.',
  },
  runItemCuts: {
    type: 'counter',
    name: 'svc_propagator_run_item_cuts_total',
    help: 'Parts of run items that spans do not get: of traces too large to read whole, of items that a record has no room for, of items that are no longer on the log. Rows of run items hold it unabridged.',
    labels: { what: ['links', 'fields', 'contents', 'gone'] },
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_propagator_other_mode_records_total',
    help: 'Staged records accepted in another write mode than that of this process. They are published in the mode in which they were accepted, and appear after a switch.',
    labels: { mode: writeModes },
  },
  lateSpans: {
    type: 'counter',
    name: 'svc_propagator_late_spans_total',
    help: 'Spans of traces that an earlier window had already published.',
  },
  republishedSpans: {
    type: 'counter',
    name: 'svc_propagator_republished_spans_total',
    help: 'Spans published again because attributes of their trace arrived or changed after their window.',
  },
  lostRepairs: {
    type: 'counter',
    name: 'svc_propagator_repair_lost_records_total',
    help: 'Records that should be published again and are no longer on the log, or whose run item is not. Their rows keep their fill-in.',
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_propagator_expired_records_total',
    help: 'Staged records that retention deleted before the group committed anything. Must be 0.',
    labels: { partition: anyValue },
  },
  pendingRepairs: {
    type: 'gauge',
    name: 'svc_propagator_pending_repairs',
    help: 'Traces that wait to be published again.',
    labels: { partition: anyValue },
  },
  publishSeconds: {
    type: 'histogram',
    name: 'svc_propagator_publish_seconds',
    help: 'Duration of one transaction: it reads a range of a window again, fills in trace attributes, and commits.',
    buckets: durationBuckets,
  },
  lagSeconds: {
    type: 'gauge',
    name: 'svc_propagator_lag_seconds',
    help: 'Age of the oldest staged record that is not published. A lag of up to one window is normal.',
    labels: { partition: anyValue },
  },
  retries: {
    type: 'counter',
    name: 'svc_propagator_retries_total',
    help: 'Pauses of a partition because the log or the local state did not accept a publication, by error code.',
    labels: { code: anyValue },
  },
  fenced: {
    type: 'counter',
    name: 'svc_propagator_fenced_total',
    help: 'Publications refused because another process owns the partition.',
  },
  halted: {
    type: 'gauge',
    name: 'svc_propagator_halted',
    help: 'Partitions that are halted until an operator acts and are retried once a minute. 1 for a reader that ended because retention passed it.',
  },
})
