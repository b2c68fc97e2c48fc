// What the gateway measures. Verbs as operators know them: accepted, rejected (a span, by partial success), refused (a whole request).
import { authenticationEvents } from '@svc-server/relational/authentication'
import { sdkMetrics } from '@svc-server/sdk-usage/metrics'
import { connectionMetrics } from '@svc-server/service/connections'
import { anyValue, defineMetrics, durationBuckets, type Metrics, refusedUnreadMetric, sizeBuckets } from '@svc-server/service/metrics'

const encodings = ['protobuf', 'json', 'unknown'] as const
const compressions = ['identity', 'gzip', 'zstd', 'deflate', 'unknown'] as const
const routes = ['direct', 'staging', 'none'] as const

export const gatewayMetrics = defineMetrics({
  requests: {
    type: 'counter',
    name: 'svc_gateway_requests_total',
    help: 'Requests to the OTLP endpoints by HTTP status (of gRPC: the one that HTTP would have had); `aborted` when the client left before its answer.',
    labels: { code: anyValue, protocol: ['http', 'grpc'], encoding: encodings, compression: compressions },
  },
  rejected: {
    type: 'counter',
    name: 'svc_gateway_rejected_total',
    help: 'Requests that were refused as a whole, by the code of the error.',
    labels: { reason: anyValue },
  },
  ...refusedUnreadMetric('gateway'),
  ...sdkMetrics,
  defects: {
    type: 'counter',
    name: 'svc_gateway_defects_total',
    help: 'Requests answered with 500 because of a defect: in what the request owns alone (the process goes on), or in what all share (it drains and ends).',
    labels: { state: ['own', 'shared'] },
  },
  ...connectionMetrics('gateway'),
  authentications: {
    type: 'counter',
    name: 'svc_gateway_authentications_total',
    help:
      'Credentials by how they were judged: from the cache (hit, negative_hit), by the relational store (miss), by what it said up to 15 min ago ' +
      'while it does not answer (stale), refused without asking it (backoff, overflow). mismatch, beside: the public key was another one’s.',
    labels: { outcome: authenticationEvents },
  },
  spans: {
    type: 'counter',
    name: 'svc_gateway_spans_total',
    help: 'Spans by outcome: accepted (durable on the log), rejected (partial success), refused (their request was answered with an error).',
    labels: { outcome: ['accepted', 'rejected', 'refused'], route: routes },
  },
  rejectedSpans: {
    type: 'counter',
    name: 'svc_gateway_rejected_spans_total',
    help: 'Spans rejected by partial success, by reason.',
    labels: { reason: anyValue },
  },
  routed: {
    type: 'counter',
    name: 'svc_gateway_routed_requests_total',
    help: 'Requests by the route of their spans and the rule that chose it.',
    labels: { route: routes, reason: anyValue },
  },
  overflowSpans: {
    type: 'counter',
    name: 'svc_gateway_overflow_spans_total',
    help: 'Spans of projects beyond their share of the writers’ time (SVC_PROJECT_WORK_PER_SECOND): acknowledged, and stored after those of others.',
  },
  metricsDiscarded: {
    type: 'counter',
    name: 'svc_gateway_metrics_discarded_total',
    help: 'Exports of OTLP metrics that were acknowledged and thrown away.',
  },
  records: {
    type: 'counter',
    name: 'svc_gateway_records_total',
    help: 'Records acknowledged by the event log.',
    labels: { route: ['direct', 'staging'] },
  },
  recordBytes: {
    type: 'counter',
    name: 'svc_gateway_record_bytes_total',
    help: 'Bytes of records acknowledged by the event log.',
    labels: { route: ['direct', 'staging'] },
  },
  inflightBytes: {
    type: 'gauge',
    name: 'svc_gateway_inflight_bytes',
    help: 'Decoded bytes reserved by requests in flight.',
  },
  inflightRequests: {
    type: 'gauge',
    name: 'svc_gateway_inflight_requests',
    help: 'Requests to the OTLP endpoints that are not answered yet.',
  },
  workersWaiting: {
    type: 'gauge',
    name: 'svc_gateway_worker_queue_jobs',
    help: 'Large bodies that wait for a worker thread.',
  },
  entryWaiting: {
    type: 'gauge',
    name: 'svc_gateway_entry_queue_requests',
    help: 'Requests of projects that have SVC_PROJECT_REQUESTS_AT_ONCE at work already, while other projects send.',
  },
  duration: {
    type: 'histogram',
    name: 'svc_gateway_request_duration_seconds',
    help: 'From the request headers to the answer.',
    labels: { endpoint: ['traces', 'metrics', 'logs', 'other'] },
    buckets: durationBuckets,
  },
  appendDuration: {
    type: 'histogram',
    name: 'svc_gateway_append_duration_seconds',
    help: 'From handing records to the event log to its acknowledgement.',
    buckets: durationBuckets,
  },
  bodyBytes: {
    type: 'histogram',
    name: 'svc_gateway_request_body_bytes',
    help: 'Size of trace requests, as sent and after decompression.',
    labels: { form: ['sent', 'decoded'] },
    buckets: sizeBuckets,
  },
})

export type GatewayMetrics = Metrics<typeof gatewayMetrics>
