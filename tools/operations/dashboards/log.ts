// The dashboard for operators of the brokers. It shows how many records wait for each consumer group.

import type { DashboardSpec } from '../panel.ts'
import { one, quantiles, rate } from '../queries.ts'

export const log: DashboardSpec = {
  slug: 'log',
  title: 'svc / Is any consumer behind on the log?',
  panels: [
    {
      question: 'How long have records waited for the writers?',
      unit: 's',
      queries: one('max by (topic) (svc_writer_lag_seconds)', '{{topic}}'),
    },
    {
      question: 'How long have records waited for the writers, by partition?',
      unit: 's',
      queries: one('max by (topic, partition) (svc_writer_lag_seconds)', '{{topic}}/{{partition}}'),
    },
    {
      question: 'How long have records waited for the propagators?',
      unit: 's',
      queries: one('max by (partition) (svc_propagator_lag_seconds)', '{{partition}}'),
    },
    {
      question: 'How long have records waited for the mergers?',
      unit: 's',
      queries: one('max by (topic) (svc_merger_lag_seconds)', '{{topic}}'),
    },
    {
      question: 'How many partitions are halted?',
      unit: 'short',
      queries: [
        { expr: 'sum(svc_writer_halted)', legend: 'writers' },
        { expr: 'sum(svc_propagator_halted)', legend: 'propagators' },
        { expr: 'sum(svc_merger_halted)', legend: 'mergers' },
      ],
    },
    {
      question: 'How often does a partition move to a different consumer in the middle of work?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_chunks_total', '', 'outcome="fenced"'), legend: 'writers' },
        { expr: rate('svc_propagator_fenced_total'), legend: 'propagators' },
      ],
    },
    {
      question: 'How long does the log take to acknowledge a record?',
      unit: 's',
      queries: quantiles('svc_gateway_append_duration_seconds'),
    },
    {
      question: 'How many bytes are appended to the log?',
      unit: 'Bps',
      queries: one(rate('svc_gateway_record_bytes_total', 'route'), '{{route}}'),
    },
  ],
}
