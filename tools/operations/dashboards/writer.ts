// For operators of the column store: inserts and their wait times.

import type { DashboardSpec } from '../panel.ts'
import { one, quantile, quantiles, rate } from '../queries.ts'

export const writer: DashboardSpec = {
  slug: 'writer',
  title: 'svc / Does the column store keep up?',
  panels: [
    {
      question: 'How long does an insert take?',
      unit: 's',
      queries: [
        { expr: quantile(0.5, 'svc_writer_insert_seconds', 'outcome'), legend: 'p50 {{outcome}}' },
        { expr: quantile(0.95, 'svc_writer_insert_seconds', 'outcome'), legend: 'p95 {{outcome}}' },
      ],
    },
    {
      question: 'How many inserts are there?',
      unit: 'cps',
      queries: one(rate('svc_writer_insert_seconds_count', 'outcome'), '{{outcome}}'),
      says: 'Each chunk becomes a part in each table, and a column store works best with few large parts.',
    },
    { question: 'How many rows has an insert?', unit: 'short', queries: quantiles('svc_writer_insert_rows') },
    { question: 'How many bytes has an insert?', unit: 'bytes', queries: quantiles('svc_writer_insert_bytes') },
    {
      question: 'What makes inserts be tried again?',
      unit: 'cps',
      queries: one(rate('svc_writer_retries_total', 'code'), '{{code}}'),
      says: '241 is memory, 252 too many parts.',
    },
    {
      question: 'How much of its time does a writer wait for stores?',
      unit: 'percentunit',
      queries: one('sum by (instance) (rate(svc_writer_backpressure_seconds_total[$__rate_interval]))', '{{instance}}'),
    },
    { question: 'How long does mapping take?', unit: 's', queries: quantiles('svc_writer_encode_seconds') },
    {
      question: 'What was done again after a doubt?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_intent_replayed_total'), legend: 'chunks from an open intent' },
        { expr: rate('svc_writer_reinserted_rows_total', 'table'), legend: 'rows into {{table}}' },
      ],
    },
  ],
}
