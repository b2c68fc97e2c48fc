// The dashboard with data that could not be stored. It also shows whether the audit works and can therefore detect lost data.

import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

export const deadLetters: DashboardSpec = {
  slug: 'dead-letters',
  title: 'svc / What could not be stored?',
  panels: [
    {
      question: 'How many items are dead-lettered, and why?',
      unit: 'cps',
      queries: one(rate('svc_writer_dead_letters_total', 'stage, reason'), '{{stage}} {{reason}}'),
    },
    {
      question: 'How much space do dead letters take on the log?',
      unit: 'bytes',
      queries: one('max(svc_dead_letter_bytes)', 'bytes'),
      says: 'When the topic reaches its size limit, the log deletes the oldest dead letters.',
    },
    {
      question: 'How many dead letters were dropped?',
      unit: 'short',
      queries: one('max(increase(svc_dead_letters_dropped_total[$__range]))', 'dropped'),
    },
    {
      question: 'How many items do the propagator and the merger dead-letter?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_propagator_spans_total', '', 'outcome="dead_lettered"'), legend: 'propagator' },
        { expr: rate('svc_merger_events_total', '', 'outcome="dead_lettered"'), legend: 'merger' },
      ],
    },
    {
      question: 'How far behind is the audit?',
      unit: 's',
      queries: one('max by (topic) (svc_audit_lag_seconds)', '{{topic}}'),
      says: 'The lag must always be below the topic’s retention, because the audit cannot check deleted records.',
    },
    {
      question: 'How many audit rounds finish?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_ledger_audits_total', 'outcome'), legend: 'ledger {{outcome}}' },
        { expr: rate('svc_row_audits_total', 'outcome'), legend: 'rows {{outcome}}' },
      ],
    },
  ],
}
