// The dashboard for operators of the column store. It shows inserts, and how long they wait.

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
      question: 'How many inserts per second are there?',
      unit: 'cps',
      queries: one(rate('svc_writer_insert_seconds_count', 'outcome'), '{{outcome}}'),
      says: 'The insert of a chunk creates a part in each table. A column store works best if a table has a small number of large parts.',
    },
    { question: 'How many rows does an insert contain?', unit: 'short', queries: quantiles('svc_writer_insert_rows') },
    { question: 'How many bytes does an insert contain?', unit: 'bytes', queries: quantiles('svc_writer_insert_bytes') },
    {
      question: 'Which errors cause inserts to be retried?',
      unit: 'cps',
      queries: one(rate('svc_writer_retries_total', 'code'), '{{code}}'),
      says: 'Code 241 of ClickHouse means that a memory limit was exceeded. Code 252 means that a table has too many parts.',
    },
    {
      question: 'How much of its time does a writer spend waiting for stores?',
      unit: 'percentunit',
      queries: one('sum by (instance) (rate(svc_writer_backpressure_seconds_total[$__rate_interval]))', '{{instance}}'),
    },
    { question: 'How long does the mapping of spans to rows take?', unit: 's', queries: quantiles('svc_writer_encode_seconds') },
    {
      question: 'How many chunks and rows were inserted again because an insert’s outcome was unknown?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_writer_intent_replayed_total'), legend: 'chunks of an unfinished intent' },
        { expr: rate('svc_writer_reinserted_rows_total', 'table'), legend: 'rows into {{table}}' },
      ],
    },
  ],
}
