// Stores the last requests that the gateways accepted or refused. The web app shows them while a user sends a first span. The table has one
// row per project, key, outcome and reason.
import type { InProject, Instance } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

/** `rejected`: the gateway accepted the request, but some of its spans were invalid. */
type ArrivalOutcome = 'accepted' | 'rejected' | 'refused'

export interface Arrival {
  /** The arrival belongs to the key's project, even if the request had a wrong secret. */
  readonly publicKey: string
  readonly outcome: ArrivalOutcome
  /** Code of the error; empty for accepted requests. */
  readonly reason: string
  readonly message: string
  /** HTTP status of the response. */
  readonly status: number
  readonly spans: number
  /** Trace id of the first accepted span. */
  readonly traceId: string | null
  readonly receivedAtMs: number
  /** Time when the log acknowledged the spans. */
  readonly loggedAtMs: number | null
  /**
   * Number of requests with this key, outcome and reason since `writeArrivals` was last called with this combination. For each combination,
   * `listArrivals` returns the sum of the numbers from all calls of `writeArrivals`.
   */
  readonly requests: number
}

/**
 * Arrivals of an unknown key or of an organization's key are dropped. Each arrival must have a different combination of key, outcome and
 * reason.
 */
export async function writeArrivals(all: Instance, arrivals: readonly Arrival[]): Promise<void> {
  const rows = JSON.stringify(arrivals)
  await all.run(sql`insert into arrivals
      (project_id, public_key, outcome, reason, message, status, spans, trace_id, received_at, logged_at, requests)
    select k.project_id, a."publicKey", a.outcome, a.reason, a.message, a.status, a.spans, a."traceId",
      to_timestamp(a."receivedAtMs" / 1000.0), to_timestamp(a."loggedAtMs" / 1000.0), a.requests
    from jsonb_to_recordset(${rows}::jsonb) as a ("publicKey" text, outcome text, reason text, message text, status integer, spans integer,
      "traceId" text, "receivedAtMs" double precision, "loggedAtMs" double precision, requests bigint)
    join api_keys k on k.public_key = a."publicKey" and k.project_id is not null
    on conflict (project_id, public_key, outcome, reason) do update set message = excluded.message, status = excluded.status,
      spans = excluded.spans, trace_id = excluded.trace_id, received_at = excluded.received_at, logged_at = excluded.logged_at,
      requests = arrivals.requests + excluded.requests`)
}

/** Newest first. */
export async function listArrivals(project: InProject, limit: number): Promise<readonly Arrival[]> {
  const rows = await project.select('arrivals').selectAll().orderBy('received_at', 'desc').limit(limit).execute()
  return rows.map(row => ({
    publicKey: row.public_key,
    outcome: row.outcome as ArrivalOutcome,
    ...{ reason: row.reason, message: row.message, status: row.status, spans: row.spans, traceId: row.trace_id },
    receivedAtMs: row.received_at.getTime(),
    loggedAtMs: row.logged_at?.getTime() ?? null,
    requests: Number(row.requests),
  }))
}
