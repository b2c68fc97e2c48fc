// Recognizes text pasted into the filter bar: an id, a traceparent, an address of this app, or a JSON filter.
import { call } from '../api/client.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { writeFilter } from '../filter/write.ts'

export type Pasted =
  | { readonly kind: 'trace'; readonly traceId: string; readonly observationId?: string | undefined }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'id'; readonly id: string }

/** Returns undefined for ordinary filter text. */
export function readPasted(text: string): Pasted | undefined {
  const trimmed = text.trim()
  const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(trimmed)
  if (traceparent !== null) return { kind: 'trace', traceId: traceparent[1]!, observationId: traceparent[2]! }
  const address = /\/traces\/([^/?#\s]+)(?:\?(?:[^#\s]*&)?o=([^&#\s]+))?/.exec(trimmed)
  if (address !== null && /^(?:https?:\/)?\//.test(trimmed)) {
    return { kind: 'trace', traceId: decoded(address[1]!), observationId: address[2] === undefined ? undefined : decoded(address[2]) }
  }
  if (trimmed.startsWith('[')) return ofJson(trimmed)
  if (/^(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(trimmed)) return { kind: 'id', id: trimmed }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function ofJson(text: string): Pasted | undefined {
  try {
    const json: unknown = JSON.parse(text)
    const written = Array.isArray(json) ? writeFilter(json as FilterCondition[]) : undefined
    return written === undefined ? undefined : { kind: 'filter', text: written }
  } catch {
    return undefined
  }
}

/** Finds a trace, an observation, a session or a user's rows, regardless of the filter and the range. */
export async function findId(project: string, id: string): Promise<Pasted | undefined> {
  const first = async (column: string) => {
    const filter = JSON.stringify([{ type: 'string', column, operator: '=', value: id }])
    const { data } = await call('webRows.list', { project, query: { limit: 1, filter } })
    return data[0]
  }
  const [trace, observation, session, user] = await Promise.all(['traceId', 'id', 'sessionId', 'userId'].map(first))
  if (trace !== undefined) return { kind: 'trace', traceId: trace.traceId }
  if (observation !== undefined) return { kind: 'trace', traceId: observation.traceId, observationId: observation.id }
  if (session !== undefined) return { kind: 'session', id }
  return user === undefined ? undefined : { kind: 'filter', text: `user:${id}` }
}
