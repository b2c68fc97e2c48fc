// The dashboard for operators of the propagators. It shows the windows of traces, and why traces leave their windows.

import type { DashboardSpec } from '../panel.ts'
import { one, quantiles, rate } from '../queries.ts'

export const propagator: DashboardSpec = {
  slug: 'propagator',
  title: 'svc / Do traces get their attributes?',
  panels: [
    { question: 'How many windows are open?', unit: 'short', queries: one('sum(svc_propagator_open_windows)', 'windows') },
    { question: 'How old is the oldest open window?', unit: 's', queries: one('max(svc_propagator_oldest_window_age_seconds)', 'oldest') },
    {
      question: 'How complete were traces when they left their window?',
      unit: 'cps',
      queries: one(rate('svc_propagator_window_exit_total', 'reason'), '{{reason}}'),
    },
    {
      question: 'What closed the windows?',
      unit: 'cps',
      queries: one(rate('svc_propagator_windows_total', 'closed_by'), '{{closed_by}}'),
    },
    {
      question: 'How many spans are filled with trace attributes?',
      unit: 'cps',
      queries: one(rate('svc_propagator_spans_total', 'outcome'), '{{outcome}}'),
    },
    {
      question: 'How many spans arrive late, and how many are republished?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_propagator_late_spans_total'), legend: 'late' },
        { expr: rate('svc_propagator_republished_spans_total'), legend: 'republished' },
      ],
    },
    { question: 'How long does a publication take?', unit: 's', queries: quantiles('svc_propagator_publish_seconds') },
    { question: 'How many traces wait to be repaired?', unit: 'short', queries: one('sum(svc_propagator_pending_repairs)', 'traces') },
  ],
}
