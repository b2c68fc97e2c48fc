// The last requests that the gateways accepted or refused: one row per project, key, outcome and reason.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  arrivals: columns({
    project_id: 'text',
    public_key: 'text',
    /** `accepted`, `refused`, or `rejected`. `rejected` means that the gateway accepted only some spans of the request. */
    outcome: 'text',
    /** Empty for accepted requests. */
    reason: 'text',
    message: 'text',
    /** HTTP status of the response. */
    status: 'integer',
    spans: 'integer',
    trace_id: 'text?',
    received_at: 'time',
    logged_at: 'time?',
    /** Number of requests so far with this key, outcome and reason. */
    requests: 'bigint',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
