// This dashboard shows how much data clients send, where the data goes, and how long this takes.

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
    { question: 'How many spans are stored?', unit: 'cps', queries: one(rate('svc_writer_spans_total', 'outcome'), '{{outcome}}') },
    {
      question: 'How long until a span is readable?',
      unit: 's',
      queries: [0.5, 0.95, 0.99].map(share => ({
        expr: quantile(share, 'svc_writer_end_to_end_seconds', 'path'),
        legend: `{{path}} p${share * 100}`,
      })),
      says: 'Time from the acknowledgement of each chunk’s oldest record until the chunk is readable. svc promises that direct spans are readable within 5 s. Staged spans first wait until their window ends. For staged spans, the measured time therefore starts when the propagator publishes the spans.',
    },
    {
      question: 'How many seconds of the newest data are not readable yet?',
      unit: 's',
      queries: one('time() - min by (path) (svc_complete_until_timestamp_seconds)', '{{path}}'),
      says: 'If the value is 5 seconds, all data that was acknowledged more than 5 seconds ago is in the tables. The panel shows the partition that is furthest behind.',
    },
    {
      question: 'How long until a canary is read back?',
      unit: 's',
      queries: [0.5, 0.99].map(share => ({ expr: quantile(share, 'svc_canary_seconds', 'path'), legend: `{{path}} p${share * 100}` })),
      says: 'Seconds from the acknowledgement of a canary until it is read back. A canary is a test span. If SVC_CANARY_URL is set, the public API sends a canary every ten seconds on each path that the write mode has.',
    },
    {
      question: 'How long ago was the last canary read back?',
      unit: 's',
      queries: one('time() - min by (path) (svc_canary_readable_timestamp_seconds)', '{{path}}'),
      says: 'The time grows while canaries cannot be sent, acknowledged, stored or read, even if no other metric shows the failure.',
    },
    {
      question: 'Which path do spans take?',
      unit: 'cps',
      queries: one(rate('svc_gateway_spans_total', 'route', 'outcome="accepted"'), '{{route}}'),
    },
    { question: 'Why are spans rejected?', unit: 'cps', queries: one(rate('svc_gateway_rejected_spans_total', 'reason'), '{{reason}}') },
    {
      question: 'Why are requests refused before their body is read?',
      unit: 'reqps',
      queries: [
        { expr: rate('svc_gateway_refused_unread_total', 'cause'), legend: 'gateway {{cause}}' },
        { expr: rate('svc_api_refused_unread_total', 'cause'), legend: 'API {{cause}}' },
      ],
      says: 'These requests are refused because of their headers alone, so the number of their spans is unknown.',
    },
    {
      question: 'Why are whole requests refused?',
      unit: 'reqps',
      queries: one(rate('svc_gateway_rejected_total', 'reason'), '{{reason}}'),
    },
    {
      question: 'Is anything unaccounted for?',
      unit: 'short',
      queries: one('sum by (topic) (svc_unaccounted_spans)', '{{topic}}'),
      says: 'The value must always be 0. Otherwise follow docs/runbooks/unaccounted-spans.md.',
    },
    {
      question: 'How many scores and legacy events arrive?',
      unit: 'cps',
      queries: [
        { expr: rate('svc_api_scores_total', 'outcome'), legend: 'scores {{outcome}}' },
        { expr: rate('svc_api_events_total', 'outcome'), legend: 'events {{outcome}}' },
      ],
    },
  ],
}
