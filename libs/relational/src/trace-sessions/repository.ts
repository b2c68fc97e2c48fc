// Sessions that v3 stored. v4 stores no rows of sessions, because traces contain the ids of their sessions.
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'

export interface TraceSession {
  readonly id: string
  readonly environment: string
  readonly createdAt: Date
}

/** Sessions without a row are omitted. */
export async function readSessions(project: InProject, ids: readonly string[]): Promise<readonly TraceSession[]> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return []
  const query = project.select('trace_sessions').select(['id', 'environment', 'created_at as createdAt'])
  return query.where('id', 'in', possible).execute()
}
