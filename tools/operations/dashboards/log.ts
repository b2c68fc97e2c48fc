// For operators of the brokers: waiting records by consumer group.

import type { DashboardSpec } from '../panel.ts'
import { one, quantiles, rate } from '../queries.ts'

export const log: DashboardSpec = {
  slug: 'log',
  title: 'svc / Is anybody behind on the log?',
  panels: [
    {
      question: 'How old is what the writers have not stored?',
      unit: 's',
      queries: one('max by (topic) (svc_writer_lag_seconds)', '{{topic}}'),
    },
    {
      question: 'On which partition?',
      unit: 's',
      queries: one('max by (topic, partition) (svc_writer_lag_seconds)', '{{topic}}/{{partition}}'),
    },
    {
      question: 'How old is what the propagators have not published?',
      unit: 's',
      queries: one('max by (partition) (svc_propagator_lag_seconds)', '{{partition}}'),
    },
    { question: 'How old is what is not merged?', unit: 's', queries: one('max by (topic) (svc_merger_lag_seconds)', '{{topic}}') },
    {
      question: 'Does anything stand still?',
      unit: 'short',
      queries: [
        { expr: 'sum(svc_writer_halted)', legend: 'writers' },
        { expr: 'sum(svc_propagator_halted)', legend: 'propagators' },
        { expr: 'sum(svc_merger_halted)', legend: 'mergers' },
      ],
    },
    {
      question: 'Do partitions change hands in the middle of work?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_chunks_total', '', 'outcome="fenced"'), legend: 'writers' },
        { expr: rate('svc_propagator_fenced_total'), legend: 'propagators' },
      ],
    },
    { question: 'How fast does the log acknowledge?', unit: 's', queries: quantiles('svc_gateway_append_duration_seconds') },
    { question: 'How much goes onto the log?', unit: 'Bps', queries: one(rate('svc_gateway_record_bytes_total', 'route'), '{{route}}') },
  ],
}
