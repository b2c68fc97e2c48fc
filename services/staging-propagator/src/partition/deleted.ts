// Decides whether the trace of a staged record was deleted. The decision needs only the record's key.
import type { Denials } from '@svc-server/deletions/denials'
import { parseTraceKey } from '@svc-server/schema/trace-key'

/** `key` has the form project/trace. */
export function isDeleted(denials: Denials, key: Buffer): boolean {
  const trace = parseTraceKey(key)
  return trace !== null && denials.concerns(trace.projectId) && denials.denies(trace.projectId, trace.traceId)
}
