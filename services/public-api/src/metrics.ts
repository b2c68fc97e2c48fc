// What the public API measures. `refused`: a whole request; `rejected`: one item of it.
import { authenticationEvents } from '@svc-server/relational/authentication'
import { connectionMetrics } from '@svc-server/service/connections'
import { anyValue, defineMetrics, durationBuckets } from '@svc-server/service/metrics'

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
    help: 'Large bodies that wait for a worker thread.',
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
