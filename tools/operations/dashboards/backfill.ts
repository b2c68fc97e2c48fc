// Progress of the backfill of v3's data.

import type { DashboardSpec } from '../panel.ts'
import { one, rate } from '../queries.ts'

export const backfill: DashboardSpec = {
  slug: 'backfill',
  title: 'svc / Is history on its way?',
  panels: [
    {
      question: 'How far is each step?',
      unit: 'percentunit',
      queries: one('max by (step) (svc_backfill_progress_ratio)', '{{step}}'),
      says: 'Every phase of the step has the same weight, and within the current phase rows are counted. svc backfill status shows the months.',
    },
    {
      question: 'How long will it still take?',
      unit: 's',
      queries: one(
        '(1 - max by (step) (svc_backfill_progress_ratio)) / clamp_min(max by (step) (deriv(svc_backfill_progress_ratio[$__rate_interval])), 0.000000001)',
        '{{step}}',
      ),
      says: 'At the current pace; a time beyond a year means that it makes no progress.',
    },
    { question: 'How many rows are migrated?', unit: 'cps', queries: one(rate('svc_backfill_rows_total', 'step'), '{{step}}') },
    {
      question: 'What does the runner do?',
      unit: 'short',
      queries: one('sum by (state) (svc_backfill_state)', '{{state}}'),
      says: 'paused: by an operator, the hours or the load.',
    },
    {
      question: 'Do chunks fail?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_backfill_chunk_failures_total', 'step'), legend: 'tried again {{step}}' },
        { expr: 'max(svc_backfill_failed)', legend: 'failed for good' },
      ],
    },
  ],
}
