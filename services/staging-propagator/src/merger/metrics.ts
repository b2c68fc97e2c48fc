// What the merger measures.
import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const mergerMetrics = defineMetrics({
  events: {
    type: 'counter',
    name: 'svc_merger_events_total',
    help: 'Events of the legacy API and parts of traces, by what became of them.',
    labels: { outcome: ['merged', 'dead_lettered'] },
  },
  entities: { type: 'counter', name: 'svc_merger_entities_total', help: 'Traces and observations published, each version of them.' },
  lookups: {
    type: 'counter',
    name: 'svc_merger_lookups_total',
    help: 'Entities that the state did not know: the old tables were asked for them.',
  },
  spans: { type: 'counter', name: 'svc_merger_spans_total', help: 'Spans read for what they say about their traces.' },
  unreadableSpans: {
    type: 'counter',
    name: 'svc_merger_unreadable_records_total',
    help: 'Records of spans that could not be read. The writer puts them aside.',
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
    help: 'Partitions that stand still until an operator acts. They are tried again once a minute.',
  },
})
