// The last requests that the gateways accepted or refused: one row per project, key, outcome and reason.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  arrivals: columns({
    project_id: 'text',
    public_key: 'text',
    /** accepted, rejected (some spans of an accepted request were invalid), or refused. */
    outcome: 'text',
    /** Code of the error; empty for accepted requests. */
    reason: 'text',
    message: 'text',
    /** HTTP status of the response. */
    status: 'integer',
    /** Number of accepted or rejected spans. */
    spans: 'integer',
    trace_id: 'text?',
    received_at: 'time',
    /** Time when the log acknowledged the spans. */
    logged_at: 'time?',
    /** Number of requests with the same key, outcome and reason so far. */
    requests: 'bigint',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
