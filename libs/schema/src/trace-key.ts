// The key of a trace's records on spans.staging: project/trace. The id of a trace is whatever text a client of the legacy API gave it; that of a
// project has no slash, so the first slash is the one between them.

export interface TraceOfProject {
  readonly projectId: string
  readonly traceId: string
}

const slash = 0x2f

export const traceKeyOf = ({ projectId, traceId }: TraceOfProject): string => `${projectId}/${traceId}`

/** Where the trace's id begins; 0: the key has no slash and names no trace. */
const traceIdAt = (key: Uint8Array): number => key.indexOf(slash) + 1

/** Empty for a key that names no trace. */
export const projectOfTraceKey = (key: Buffer): string => key.toString('utf8', 0, Math.max(0, traceIdAt(key) - 1))

/** Null: it names no trace. */
export function parseTraceKey(key: Buffer): TraceOfProject | null {
  const at = traceIdAt(key)
  return at === 0 ? null : { projectId: projectOfTraceKey(key), traceId: key.toString('utf8', at) }
}
