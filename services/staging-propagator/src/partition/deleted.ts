// Decides from a staged record's key whether the record's trace was deleted.
import type { Denials } from '@svc-server/deletions/denials'
import { parseTraceKey } from '@svc-server/schema/trace-key'

/** `key` has the form project/trace. */
export function isDeleted(denials: Denials, key: Buffer): boolean {
  const trace = parseTraceKey(key)
  return trace !== null && denials.concerns(trace.projectId) && denials.denies(trace.projectId, trace.traceId)
}
