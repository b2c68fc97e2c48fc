// Data that could not be stored, and whether the audit would detect losses.

import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

export const deadLetters: DashboardSpec = {
  slug: 'dead-letters',
  title: 'svc / What could not be stored?',
  panels: [
    {
      question: 'How many dead letters come, and why?',
      unit: 'cps',
      queries: one(rate('svc_writer_dead_letters_total', 'stage, reason'), '{{stage}} {{reason}}'),
    },
    {
      question: 'How much do they take on the log?',
      unit: 'bytes',
      queries: one('max(svc_dead_letter_bytes)', 'bytes'),
      says: 'At the topic’s limit the oldest are deleted.',
    },
    { question: 'Have any gone?', unit: 'short', queries: one('max(increase(svc_dead_letters_dropped_total[$__range]))', 'dropped') },
    {
      question: 'Did the propagator or the merger put any aside?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_propagator_spans_total', '', 'outcome="dead_lettered"'), legend: 'propagator' },
        { expr: rate('svc_merger_events_total', '', 'outcome="dead_lettered"'), legend: 'merger' },
      ],
    },
    {
      question: 'Does the audit see everything?',
      unit: 's',
      queries: one('max by (topic) (svc_audit_lag_seconds)', '{{topic}}'),
      says: 'Below the topic’s retention, always.',
    },
    {
      question: 'Do rounds of the audit end?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_ledger_audits_total', 'outcome'), legend: 'ledger {{outcome}}' },
        { expr: rate('svc_row_audits_total', 'outcome'), legend: 'rows {{outcome}}' },
      ],
    },
  ],
}
