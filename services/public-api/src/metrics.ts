// In these metrics, `refused` counts whole requests, and `rejected` counts single items of a request.
import { authenticationEvents } from '@svc-server/relational/authentication'
import { sdkMetrics } from '@svc-server/sdk-usage/metrics'
import { connectionMetrics } from '@svc-server/service/connections'
import { ageBuckets, anyValue, defineMetrics, durationBuckets, refusedUnreadMetric } from '@svc-server/service/metrics'
import { canaryPaths } from './canary/paths.ts'

export const apiMetrics = defineMetrics({
  requests: {
    type: 'counter',
    name: 'svc_api_requests_total',
    help: 'Requests by route and HTTP status. The code is `aborted` if the client disconnected before the response.',
    labels: { route: anyValue, code: anyValue },
  },
  refused: {
    type: 'counter',
    name: 'svc_api_refused_total',
    help: 'Requests that were refused as a whole, by error code.',
    labels: { reason: anyValue },
  },
  ...refusedUnreadMetric('api'),
  ...sdkMetrics,
  defects: {
    type: 'counter',
    name: 'svc_api_defects_total',
    help: 'Requests that failed with 500 because of a defect. The label names the state that the defect affected. After a defect in the request’s own state (own), the process continues. After a defect in shared state (shared), the process drains and exits.',
    labels: { state: ['own', 'shared'] },
  },
  events: {
    type: 'counter',
    name: 'svc_api_events_total',
    help: 'Events of the legacy API by result: accepted (durable on the log), rejected (each with its own error), dropped (events of type sdk-log).',
    labels: { outcome: ['accepted', 'rejected', 'dropped'] },
  },
  scores: {
    type: 'counter',
    name: 'svc_api_scores_total',
    help: 'Scores by result: accepted (durable on the log), rejected (each with its own error), deleted (a tombstone is durable on the log).',
    labels: { outcome: ['accepted', 'rejected', 'deleted'] },
  },
  deletions: {
    type: 'counter',
    name: 'svc_api_deletions_total',
    help: 'Accepted deletions of traces and projects. The API records each deletion in the relational store and sends it as a command on the log.',
    labels: { what: ['trace', 'project'] },
  },
  canarySeconds: {
    type: 'histogram',
    name: 'svc_canary_seconds',
    help: 'For each path, the time from the acknowledgement of a canary until the canary is found in the store. The store is queried every 500 ms (direct) or every 2 s (other paths).',
    labels: { path: canaryPaths },
    buckets: ageBuckets,
  },
  canaryReadable: {
    type: 'gauge',
    name: 'svc_canary_readable_timestamp_seconds',
    help: 'Send time of the newest canary that the API has found in the store. Before the first canary is found, the value is the start time of the process. The value does not change while canaries cannot be sent, acknowledged, stored or read. If SVC_CANARY_URL is not set, the metric is absent. If a path does not exist in the write mode, the metric has no series for this path.',
    labels: { path: canaryPaths },
  },
  canaries: {
    type: 'counter',
    name: 'svc_canaries_total',
    help: 'Canaries by result: readable, refused, unanswered or given_up. A refused canary got a response, but was not accepted. An unanswered canary got no response. A given_up canary was accepted, but the API stopped looking for it after hundreds of later canaries.',
    labels: { path: canaryPaths, outcome: ['readable', 'refused', 'unanswered', 'given_up'] },
  },
  ...connectionMetrics('api'),
  authentications: {
    type: 'counter',
    name: 'svc_api_authentications_total',
    help: 'Credentials that were checked, by result. The description of svc_gateway_authentications_total explains the results.',
    labels: { outcome: authenticationEvents },
  },
  inflightBytes: {
    type: 'gauge',
    name: 'svc_api_inflight_bytes',
    help: 'Bytes of memory that are reserved for the bodies and records of requests in flight.',
  },
  workersWaiting: {
    type: 'gauge',
    name: 'svc_api_worker_queue_jobs',
    help: 'Number of large bodies and large responses that wait for a worker thread.',
  },
  readsWaiting: {
    type: 'gauge',
    name: 'svc_api_waiting_reads',
    help: 'Requests that wait for a slot at the column store.',
  },
  streams: {
    type: 'counter',
    name: 'svc_api_streams_total',
    help: 'Exports of all rows that match a filter, by result: whole, left (the client disconnected), or cut (the export could not be finished).',
    labels: { outcome: ['whole', 'left', 'cut'] },
  },
  streamedRows: {
    type: 'counter',
    name: 'svc_api_streamed_rows_total',
    help: 'Exported rows, counted when the whole export has been sent.',
  },
  unreadBytes: {
    type: 'gauge',
    name: 'svc_api_unread_answer_bytes',
    help: 'Bytes of responses that clients have not read yet.',
  },
  duration: {
    type: 'histogram',
    name: 'svc_api_request_duration_seconds',
    help: 'Time from the arrival of the request headers until the API has written the response.',
    labels: { route: anyValue },
    buckets: durationBuckets,
  },
  appendDuration: {
    type: 'histogram',
    name: 'svc_api_append_duration_seconds',
    help: 'Time that the event log takes to acknowledge the records that the API sends to it.',
    buckets: durationBuckets,
  },
})
