// For senders and readers of data: arriving data, its outcome, and its delay.

import type { DashboardSpec } from '../panel.ts'
import { one, quantile, rate } from '../queries.ts'

export const dataArriving: DashboardSpec = {
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
      says: 'Of the oldest record of each chunk, from its acknowledgement. Direct: 5 s are promised. Staged spans count from their publication, because they wait for their window first.',
    },
    {
      question: 'How far back is everything readable?',
      unit: 's',
      queries: one('time() - min by (path) (svc_complete_until_timestamp_seconds)', '{{path}}'),
      says: 'Everything acknowledged longer ago than this is in the tables. The furthest partition counts.',
    },
    {
      question: 'How long until a canary is read back?',
      unit: 's',
      queries: [0.5, 0.99].map(share => ({ expr: quantile(share, 'svc_canary_seconds', 'path'), legend: `{{path}} p${share * 100}` })),
      says: 'Seconds from the acknowledgement of a canary, a test span that is sent every ten seconds on each path (SVC_CANARY_URL).',
    },
    {
      question: 'When did the last canary come through?',
      unit: 's',
      queries: one('time() - min by (path) (svc_canary_readable_timestamp_seconds)', '{{path}}'),
      says: 'It grows while canaries cannot be sent, acknowledged, stored or read, even when no other metric shows the failure.',
    },
    {
      question: 'Which way do spans take?',
      unit: 'cps',
      queries: one(rate('svc_gateway_spans_total', 'route', 'outcome="accepted"'), '{{route}}'),
    },
    { question: 'Why are spans rejected?', unit: 'cps', queries: one(rate('svc_gateway_rejected_spans_total', 'reason'), '{{reason}}') },
    {
      question: 'Which requests are refused unread?',
      unit: 'reqps',
      queries: [
        { expr: rate('svc_gateway_refused_unread_total', 'cause'), legend: 'gateway {{cause}}' },
        { expr: rate('svc_api_refused_unread_total', 'cause'), legend: 'API {{cause}}' },
      ],
      says: 'By their headers alone. Nobody knows how many spans they had.',
    },
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
}
