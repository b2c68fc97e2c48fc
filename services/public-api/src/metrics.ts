// What the public API measures. `refused`: a whole request; `rejected`: one item of it.
import { authenticationEvents } from '@svc-server/relational/authentication'
import { sdkMetrics } from '@svc-server/sdk-usage/metrics'
import { connectionMetrics } from '@svc-server/service/connections'
import { ageBuckets, anyValue, defineMetrics, durationBuckets, refusedUnreadMetric } from '@svc-server/service/metrics'
import { canaryPaths } from './canary/paths.ts'

export const apiMetrics = defineMetrics({
  requests: {
    type: 'counter',
    name: 'svc_api_requests_total',
    help: 'Requests by route and HTTP status; `aborted` when the client left before its answer.',
    labels: { route: anyValue, code: anyValue },
  },
  refused: {
    type: 'counter',
    name: 'svc_api_refused_total',
    help: 'Requests that were refused as a whole, by the code of the error.',
    labels: { reason: anyValue },
  },
  ...refusedUnreadMetric('api'),
  ...sdkMetrics,
  defects: {
    type: 'counter',
    name: 'svc_api_defects_total',
    help: 'Requests answered with 500 because of a defect: in what the request owns alone (the process goes on), or in what all share (it drains and ends).',
    labels: { state: ['own', 'shared'] },
  },
  events: {
    type: 'counter',
    name: 'svc_api_events_total',
    help: 'Events of the legacy API by outcome: accepted (durable on the log), rejected (by an error of their own), dropped (sdk-log).',
    labels: { outcome: ['accepted', 'rejected', 'dropped'] },
  },
  scores: {
    type: 'counter',
    name: 'svc_api_scores_total',
    help: 'Scores by outcome: accepted (durable on the log), rejected (by an error of their own), deleted (a tombstone is durable on the log).',
    labels: { outcome: ['accepted', 'rejected', 'deleted'] },
  },
  deletions: {
    type: 'counter',
    name: 'svc_api_deletions_total',
    help: 'Traces and projects whose deletion was accepted: noted in the relational store, and a command on the log.',
    labels: { what: ['trace', 'project'] },
  },
  canarySeconds: {
    type: 'histogram',
    name: 'svc_canary_seconds',
    help: 'From the acknowledgement of a canary to its being found in the store, by path. A sent one is looked for every 500 ms (direct) or 2 s.',
    labels: { path: canaryPaths },
    buckets: ageBuckets,
  },
  canaryReadable: {
    type: 'gauge',
    name: 'svc_canary_readable_timestamp_seconds',
    help:
      'When the newest canary that was found was sent; the start of the process before the first. It stands still while one cannot be sent, ' +
      'acknowledged, stored or read. Absent without SVC_CANARY_URL, and of paths that the write mode does not have.',
    labels: { path: canaryPaths },
  },
  canaries: {
    type: 'counter',
    name: 'svc_canaries_total',
    help:
      'Canaries by what became of them: readable, refused (answered, and not accepted), unanswered, or given_up (accepted, and not found ' +
      'while hundreds came after them).',
    labels: { path: canaryPaths, outcome: ['readable', 'refused', 'unanswered', 'given_up'] },
  },
  ...connectionMetrics('api'),
  authentications: {
    type: 'counter',
    name: 'svc_api_authentications_total',
    help: 'Credentials by how they were judged; the words are those of svc_gateway_authentications_total.',
    labels: { outcome: authenticationEvents },
  },
  inflightBytes: {
    type: 'gauge',
    name: 'svc_api_inflight_bytes',
    help: 'Bytes of bodies and records that are held by requests in flight.',
  },
  workersWaiting: {
    type: 'gauge',
    name: 'svc_api_worker_queue_jobs',
    help: 'Large bodies and answers that wait for a worker thread.',
  },
  readsWaiting: {
    type: 'gauge',
    name: 'svc_api_waiting_reads',
    help: 'Requests that wait for their turn at the column store.',
  },
  streams: {
    type: 'counter',
    name: 'svc_api_streams_total',
    help: 'Streams of every row of a filter: whole, left by their clients, or cut because they could not be finished.',
    labels: { outcome: ['whole', 'left', 'cut'] },
  },
  streamedRows: {
    type: 'counter',
    name: 'svc_api_streamed_rows_total',
    help: 'Rows of streams that were sent whole.',
  },
  unreadBytes: {
    type: 'gauge',
    name: 'svc_api_unread_answer_bytes',
    help: 'Bytes of answers that clients have not taken yet.',
  },
  duration: {
    type: 'histogram',
    name: 'svc_api_request_duration_seconds',
    help: 'From the request headers to the answer.',
    labels: { route: anyValue },
    buckets: durationBuckets,
  },
  appendDuration: {
    type: 'histogram',
    name: 'svc_api_append_duration_seconds',
    help: 'From handing records to the event log to its acknowledgement.',
    buckets: durationBuckets,
  },
})
