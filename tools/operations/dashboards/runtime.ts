// The dashboard with runtime metrics of the processes.

import type { DashboardSpec } from '../panel.ts'
import { one, quantile, rate } from '../queries.ts'

export const runtime: DashboardSpec = {
  slug: 'runtime',
  title: 'svc / Are the processes healthy?',
  panels: [
    {
      question: 'Which versions run?',
      unit: 'short',
      queries: one('count by (service, version) (svc_build_info)', '{{service}} {{version}}'),
    },
    {
      question: 'How much CPU does each process use?',
      unit: 'short',
      queries: one('sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))', '{{instance}}'),
    },
    {
      question: 'How much memory does each process use?',
      unit: 'bytes',
      queries: one('sum by (instance) (process_resident_memory_bytes)', '{{instance}}'),
    },
    {
      question: 'How much heap does each process use?',
      unit: 'bytes',
      queries: one('sum by (instance) (nodejs_heap_size_used_bytes)', '{{instance}}'),
    },
    {
      question: 'How long is work delayed because the event loop is busy?',
      unit: 's',
      queries: one('max by (instance) (nodejs_eventloop_lag_p99_seconds)', '{{instance}}'),
    },
    {
      question: 'How much time does each process spend in garbage collection?',
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
      question: 'How many connections are open, and how many are refused?',
      unit: 'short',
      queries: [
        { expr: 'sum by (instance) (svc_gateway_connections)', legend: 'open {{instance}}' },
        { expr: rate('svc_gateway_refused_connections_total', 'limit'), legend: 'refused: {{limit}}' },
      ],
    },
  ],
}
