import { denyListMetrics } from '@svc-server/deletions/metrics'
import { writeModes } from '@svc-server/modes/write-mode'
import { anyValue, defineMetrics, durationBuckets } from '@svc-server/service/metrics'

export const propagatorMetrics = defineMetrics({
  ...denyListMetrics,
  openWindows: { type: 'gauge', name: 'svc_propagator_open_windows', help: 'Open windows in this process.' },
  oldestWindowAgeSeconds: {
    type: 'gauge',
    name: 'svc_propagator_oldest_window_age_seconds',
    help: 'Age of the oldest window of this process that is not completely published yet.',
  },
  windows: {
    type: 'counter',
    name: 'svc_propagator_windows_total',
    help: 'Number of published windows, by the event that closed the window: a later record, the passing of time on an idle partition, the size of the window, or a restart in the middle of the window.',
    labels: { closed_by: ['record', 'time', 'size', 'restart'] },
  },
  windowExits: {
    type: 'counter',
    name: 'svc_propagator_window_exit_total',
    help: 'Number of traces in published windows. The reason tells whether the propagator knew the root, or which limit was exceeded. root_seen: the propagator knew the root at publication. root_missing: the propagator did not know the root. over_trace_limit: the trace has too many spans. over_project_limit: the project has too many traces. Spans beyond a limit are published without trace attributes, or with only some trace attributes.',
    labels: { reason: ['root_seen', 'root_missing', 'over_trace_limit', 'over_project_limit'] },
  },
  spans: {
    type: 'counter',
    name: 'svc_propagator_spans_total',
    help: 'Number of staged spans, by outcome: published with the attributes of the trace (filled), published without them (unfilled), or dead-lettered. A record that cannot be read is dead-lettered and counted as one span.',
    labels: { outcome: ['filled', 'unfilled', 'dead_lettered'] },
  },
  cut: {
    type: 'counter',
    name: 'svc_propagator_cut_values_total',
    help: 'Values and tags that were too long or too numerous to be copied to the other spans of a trace. The values and tags stay on the spans that were sent with them.',
  },
  runItemCuts: {
    type: 'counter',
    name: 'svc_propagator_run_item_cuts_total',
    help: 'Parts of run items that were not copied to spans. The label names the reason. For “links”, the trace was too large to read completely. For “fields” and “contents”, the copied data would have made the record on spans.filled too large. For “gone”, the run item was no longer on the log. Run items themselves are stored completely.',
    labels: { what: ['links', 'fields', 'contents', 'gone'] },
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_propagator_other_mode_records_total',
    help: 'Staged records that were accepted in a different write mode than the current mode of this process. After a switch of the mode, the log still contains records of the previous mode. The propagator publishes each record in the record’s own mode.',
    labels: { mode: writeModes },
  },
  lateSpans: {
    type: 'counter',
    name: 'svc_propagator_late_spans_total',
    help: 'Spans that arrived after the propagator had published an earlier window of their trace.',
  },
  republishedSpans: {
    type: 'counter',
    name: 'svc_propagator_republished_spans_total',
    help: 'Spans that the propagator published again, because attributes or run items of their trace arrived or changed after the spans’ window.',
  },
  lostRepairs: {
    type: 'counter',
    name: 'svc_propagator_repair_lost_records_total',
    help: 'Records that a repair could not publish again, because the record itself or a run item of its spans is no longer on the log. The rows of these records keep the trace attributes of the earlier publication.',
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_propagator_expired_records_total',
    help: 'Staged records that retention deleted before the group had committed any offset. Must be 0.',
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
    help: 'Duration of one transaction, in which the propagator reads a range of a window again, fills in trace attributes, and commits.',
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
    help: 'Pauses of partitions, by error code. A partition pauses when the log or the local state does not accept a publication.',
    labels: { code: anyValue },
  },
  fenced: {
    type: 'counter',
    name: 'svc_propagator_fenced_total',
    help: 'Publications that were refused because another process owns the partition.',
  },
  halted: {
    type: 'gauge',
    name: 'svc_propagator_halted',
    help: 'Partitions that are halted because of a fault that an operator must repair. Each halted partition is retried once a minute, and continues when a retry succeeds. A reader that has stopped because retention deleted its unread records adds one to this number, even if the reader has several partitions.',
  },
})
