// The dashboards, as data: each panel answers the question in its title.

import { migrationDashboards } from './migration-dashboards.ts'
import type { DashboardSpec } from './panel.ts'
import { one, quantile, quantiles, rate } from './queries.ts'

export const dashboards: readonly DashboardSpec[] = [
  {
    slug: 'data-arriving',
    title: 'svc / Is my data arriving?',
    panels: [
      {
        question: 'How many spans are accepted, rejected and refused?',
        unit: 'cps',
        queries: one(rate('svc_gateway_spans_total', 'outcome'), '{{outcome}}'),
      },
      { question: 'How many are stored?', unit: 'cps', queries: one(rate('svc_writer_spans_total', 'outcome'), '{{outcome}}') },
      {
        question: 'How long until a span is readable?',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map(share => ({
          expr: quantile(share, 'svc_writer_end_to_end_seconds', 'path'),
          legend: `{{path}} p${share * 100}`,
        })),
        says: 'Of the oldest record of each chunk, from its acknowledgement. Direct: 5 s are promised. Staged ones from their publication on: they wait for their window before.',
      },
      {
        question: 'How far back is everything readable?',
        unit: 's',
        queries: one('time() - min by (path) (svc_complete_until_timestamp_seconds)', '{{path}}'),
        says: 'What was acknowledged longer ago than this is in the tables, all of it. The furthest partition counts.',
      },
      {
        question: 'Which way do spans take?',
        unit: 'cps',
        queries: one(rate('svc_gateway_spans_total', 'route', 'outcome="accepted"'), '{{route}}'),
      },
      { question: 'Why are spans rejected?', unit: 'cps', queries: one(rate('svc_gateway_rejected_spans_total', 'reason'), '{{reason}}') },
      { question: 'Why are requests refused?', unit: 'reqps', queries: one(rate('svc_gateway_rejected_total', 'reason'), '{{reason}}') },
      {
        question: 'Is anything unaccounted for?',
        unit: 'short',
        queries: one('sum by (topic) (svc_unaccounted_spans)', '{{topic}}'),
        says: '0, always. docs/runbooks/unaccounted-spans.md',
      },
      {
        question: 'How many scores and legacy events come?',
        unit: 'cps',
        queries: [
          { expr: rate('svc_api_scores_total', 'outcome'), legend: 'scores {{outcome}}' },
          { expr: rate('svc_api_events_total', 'outcome'), legend: 'events {{outcome}}' },
        ],
      },
    ],
  },
  {
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
  },
  {
    slug: 'propagator',
    title: 'svc / Do traces get their attributes?',
    panels: [
      { question: 'How many windows are open?', unit: 'short', queries: one('sum(svc_propagator_open_windows)', 'windows') },
      { question: 'How old is the oldest?', unit: 's', queries: one('max(svc_propagator_oldest_window_age_seconds)', 'oldest') },
      {
        question: 'With what did traces leave their window?',
        unit: 'cps',
        queries: one(rate('svc_propagator_window_exit_total', 'reason'), '{{reason}}'),
      },
      {
        question: 'What closed the windows?',
        unit: 'cps',
        queries: one(rate('svc_propagator_windows_total', 'closed_by'), '{{closed_by}}'),
      },
      { question: 'How many spans are filled?', unit: 'cps', queries: one(rate('svc_propagator_spans_total', 'outcome'), '{{outcome}}') },
      {
        question: 'How many come late, and are published again?',
        unit: 'cps',
        queries: [
          { expr: rate('svc_propagator_late_spans_total'), legend: 'late' },
          { expr: rate('svc_propagator_republished_spans_total'), legend: 'again' },
        ],
      },
      { question: 'How long does a publication take?', unit: 's', queries: quantiles('svc_propagator_publish_seconds') },
      { question: 'How many repairs wait?', unit: 'short', queries: one('sum(svc_propagator_pending_repairs)', 'traces') },
    ],
  },
  {
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
        says: 'Each is a part in each table: few and large ones are what a column store likes.',
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
  },
  {
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
        says: 'At the topic’s limit the oldest go.',
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
  },
  {
    slug: 'runtime',
    title: 'svc / Are the processes well?',
    panels: [
      {
        question: 'Which versions run?',
        unit: 'short',
        queries: one('count by (service, version) (svc_build_info)', '{{service}} {{version}}'),
      },
      {
        question: 'How much CPU does each take?',
        unit: 'short',
        queries: one('sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))', '{{instance}}'),
      },
      {
        question: 'How much memory does each have?',
        unit: 'bytes',
        queries: one('sum by (instance) (process_resident_memory_bytes)', '{{instance}}'),
      },
      {
        question: 'How much heap is used?',
        unit: 'bytes',
        queries: one('sum by (instance) (nodejs_heap_size_used_bytes)', '{{instance}}'),
      },
      {
        question: 'How late is the event loop?',
        unit: 's',
        queries: one('max by (instance) (nodejs_eventloop_lag_p99_seconds)', '{{instance}}'),
      },
      {
        question: 'How much of the time is garbage collection?',
        unit: 'percentunit',
        queries: one('sum by (instance) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval]))', '{{instance}}'),
      },
      {
        question: 'How long do requests take?',
        unit: 's',
        queries: [
          { expr: quantile(0.95, 'svc_gateway_request_duration_seconds', 'endpoint'), legend: 'gateway {{endpoint}} p95' },
          { expr: quantile(0.95, 'svc_api_request_duration_seconds', 'route'), legend: 'API {{route}} p95' },
        ],
      },
      {
        question: 'How many bytes are in flight?',
        unit: 'bytes',
        queries: [
          { expr: 'sum by (instance) (svc_gateway_inflight_bytes)', legend: 'gateway {{instance}}' },
          { expr: 'sum by (instance) (svc_api_inflight_bytes)', legend: 'API {{instance}}' },
        ],
      },
      {
        question: 'How many connections are open, and refused?',
        unit: 'short',
        queries: [
          { expr: 'sum by (instance) (svc_gateway_connections)', legend: 'open {{instance}}' },
          { expr: rate('svc_gateway_refused_connections_total', 'limit'), legend: 'refused: {{limit}}' },
        ],
      },
    ],
  },
  ...migrationDashboards,
]
