// The gateway can refuse a whole request. If the gateway does not refuse the request, it accepts or rejects each span separately (partial
// success).
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
    help: 'Requests to the OTLP endpoints by HTTP status. For a gRPC request, `code` is the HTTP status that an HTTP request with the same result gets. The code is `aborted` if the client disconnected before the response.',
    labels: { code: anyValue, protocol: ['http', 'grpc'], encoding: encodings, compression: compressions },
  },
  rejected: {
    type: 'counter',
    name: 'svc_gateway_rejected_total',
    help: 'Requests that were refused as a whole, by error code.',
    labels: { reason: anyValue },
  },
  ...refusedUnreadMetric('gateway'),
  ...sdkMetrics,
  defects: {
    type: 'counter',
    name: 'svc_gateway_defects_total',
    help: 'Requests that failed with 500 because of a defect. The label names the state that the defect affected. After a defect in the request’s own state (own), the process continues. After a defect in shared state (shared), the process drains and exits.',
    labels: { state: ['own', 'shared'] },
  },
  ...connectionMetrics('gateway'),
  authentications: {
    type: 'counter',
    name: 'svc_gateway_authentications_total',
    help: 'Credentials by result. A hit (accepted) or negative_hit (rejected) comes from the cache, and a miss comes from the relational store. A stale result is up to 15 min old and is used because the store does not respond. The results backoff and overflow mean that the server refused the credentials without a lookup. A mismatch means that the secret key of the request does not belong to its public key. Only a lookup in the relational store finds a mismatch, so this lookup is counted twice: as a mismatch, and as a miss.',
    labels: { outcome: authenticationEvents },
  },
  spans: {
    type: 'counter',
    name: 'svc_gateway_spans_total',
    help: 'Spans by result: accepted (durable on the log), rejected (partial success), refused (the whole request failed).',
    labels: { outcome: ['accepted', 'rejected', 'refused'], route: routes },
  },
  rejectedSpans: {
    type: 'counter',
    name: 'svc_gateway_rejected_spans_total',
    help: 'Spans that were rejected although their request was accepted (partial success), by reason.',
    labels: { reason: anyValue },
  },
  routed: {
    type: 'counter',
    name: 'svc_gateway_routed_requests_total',
    help: 'Requests by the route of their spans, and by the rule that chose the route.',
    labels: { route: routes, reason: anyValue },
  },
  overflowSpans: {
    type: 'counter',
    name: 'svc_gateway_overflow_spans_total',
    help: 'Spans that exceeded their project’s share of the writers’ time (SVC_PROJECT_WORK_PER_SECOND). Spans beyond the share are acknowledged, but stored after the spans of other projects.',
  },
  metricsDiscarded: {
    type: 'counter',
    name: 'svc_gateway_metrics_discarded_total',
    help: 'Requests with OTLP metrics. The gateway acknowledges these requests and discards the metrics.',
  },
  records: {
    type: 'counter',
    name: 'svc_gateway_records_total',
    help: 'Number of records that the event log acknowledged.',
    labels: { route: ['direct', 'staging'] },
  },
  recordBytes: {
    type: 'counter',
    name: 'svc_gateway_record_bytes_total',
    help: 'Bytes of the records that the event log acknowledged.',
    labels: { route: ['direct', 'staging'] },
  },
  inflightBytes: {
    type: 'gauge',
    name: 'svc_gateway_inflight_bytes',
    help: 'Decoded bytes that are reserved for requests in flight.',
  },
  inflightRequests: {
    type: 'gauge',
    name: 'svc_gateway_inflight_requests',
    help: 'Number of requests to the OTLP endpoints that are in flight.',
  },
  workersWaiting: {
    type: 'gauge',
    name: 'svc_gateway_worker_queue_jobs',
    help: 'Large bodies that wait for a worker thread.',
  },
  entryWaiting: {
    type: 'gauge',
    name: 'svc_gateway_entry_queue_requests',
    help: 'Number of waiting requests. A request waits if its project already has SVC_PROJECT_REQUESTS_AT_ONCE requests in progress, and other projects also send requests.',
  },
  duration: {
    type: 'histogram',
    name: 'svc_gateway_request_duration_seconds',
    help: 'Time from the arrival of the request headers until the gateway has written the response.',
    labels: { endpoint: ['traces', 'metrics', 'logs', 'other'] },
    buckets: durationBuckets,
  },
  appendDuration: {
    type: 'histogram',
    name: 'svc_gateway_append_duration_seconds',
    help: 'Time that the event log takes to acknowledge the records that the gateway sends to it.',
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
