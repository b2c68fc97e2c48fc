// `project/trace`, the key on spans.staging. A project id has no slash, so the first slash ends the project id. A trace id can have
// slashes, because a client of the legacy API can choose any text as trace id.

export interface TraceOfProject {
  readonly projectId: string
  readonly traceId: string
}

const slash = 0x2f

export const traceKeyOf = ({ projectId, traceId }: TraceOfProject): string => `${projectId}/${traceId}`

/** Returns 0 if the key contains no slash and therefore no trace id. */
const traceIdAt = (key: Uint8Array): number => key.indexOf(slash) + 1

/** Returns the project id, or an empty text for a key without a trace id. */
export const projectOfTraceKey = (key: Buffer): string => key.toString('utf8', 0, Math.max(0, traceIdAt(key) - 1))

/** Returns null for a key without a trace id. */
export function parseTraceKey(key: Buffer): TraceOfProject | null {
  const at = traceIdAt(key)
  return at === 0 ? null : { projectId: projectOfTraceKey(key), traceId: key.toString('utf8', at) }
}
