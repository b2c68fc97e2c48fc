// What the merger measures.
import { writeModes } from '@svc-server/modes/write-mode'
import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const mergerMetrics = defineMetrics({
  events: {
    type: 'counter',
    name: 'svc_merger_events_total',
    help: 'Events of the legacy API and parts of traces, by what became of them.',
    labels: { outcome: ['merged', 'denied', 'dead_lettered'] },
  },
  entities: { type: 'counter', name: 'svc_merger_entities_total', help: 'Traces and observations published, each version of them.' },
  lookups: {
    type: 'counter',
    name: 'svc_merger_lookups_total',
    help: 'Entities that the state did not know: the old tables were asked for them.',
  },
  spans: {
    type: 'counter',
    name: 'svc_merger_spans_total',
    help: 'Spans read for what they say about their traces. Those of records for the events tables alone are passed over.',
  },
  unreadableSpans: {
    type: 'counter',
    name: 'svc_merger_unreadable_records_total',
    help: 'Records of spans that could not be read. The writer puts them aside.',
  },
  cut: {
    type: 'counter',
    name: 'svc_merger_cut_values_total',
    help: 'Values that spans say about their trace and that no record of a trace can hold. The spans that carry them keep them.',
  },
  otherModeRecords: {
    type: 'counter',
    name: 'svc_merger_other_mode_records_total',
    help: 'Records that were accepted in another write mode than this process has, and are merged as accepted: what is left of a switch.',
    labels: { mode: writeModes },
  },
  expiredRecords: {
    type: 'counter',
    name: 'svc_merger_expired_records_total',
    help: 'Records that retention had taken before the group committed anything: it began behind them. 0, always.',
    labels: { topic: anyValue, partition: anyValue },
  },
  lagSeconds: {
    type: 'gauge',
    name: 'svc_merger_lag_seconds',
    help: 'Age of the oldest record that is not merged, or passed over. About a second where everything is passed over.',
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
    help: 'Partitions that rested because a store did not answer, by the code of the error.',
    labels: { code: anyValue },
  },
  halted: {
    type: 'gauge',
    name: 'svc_merger_halted',
    help: 'Partitions that stand still until an operator acts and are tried again once a minute, and 1 for a reader that has ended: retention has passed it.',
  },
})
