// The dashboard with the progress of the backfill, which copies the data of v3.

import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

export const backfill: DashboardSpec = {
  slug: 'backfill',
  title: 'svc / Is the backfill making progress?',
  panels: [
    {
      question: 'How much of each step is done?',
      unit: 'percentunit',
      queries: one('max by (step) (svc_backfill_progress_ratio)', '{{step}}'),
      says: 'Every phase of a step has the same weight. Within a phase, progress is measured in rows. The command svc backfill status shows the progress of each month.',
    },
    {
      question: 'How long will each step still take?',
      unit: 's',
      queries: one(
        '(1 - max by (step) (svc_backfill_progress_ratio)) / clamp_min(max by (step) (deriv(svc_backfill_progress_ratio[$__rate_interval])), 0.000000001)',
        '{{step}}',
      ),
      says: 'The time is estimated from the current pace. An estimate above a year means that the step makes no progress.',
    },
    { question: 'How many rows per second are migrated?', unit: 'cps', queries: one(rate('svc_backfill_rows_total', 'step'), '{{step}}') },
    {
      question: 'What is the backfill runner doing?',
      unit: 'short',
      queries: one('sum by (state) (svc_backfill_state)', '{{state}}'),
      says: 'The state “paused” has three causes: an operator paused the backfill, the time is outside the allowed hours (--window), or the load is too high.',
    },
    {
      question: 'Do chunks fail?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_backfill_chunk_failures_total', 'step'), legend: 'retried {{step}}' },
        { expr: 'max(svc_backfill_failed)', legend: 'failed for good' },
      ],
    },
  ],
}
