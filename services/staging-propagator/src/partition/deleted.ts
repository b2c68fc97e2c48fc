// Whether a staged record is of a trace that was deleted, by its key alone.
import type { Denials } from '@svc-server/deletions/denials'
import { parseTraceKey } from '@svc-server/schema/trace-key'

/** `key`: project/trace. */
export function isDeleted(denials: Denials, key: Buffer): boolean {
  const trace = parseTraceKey(key)
  return trace !== null && denials.concerns(trace.projectId) && denials.denies(trace.projectId, trace.traceId)
}
