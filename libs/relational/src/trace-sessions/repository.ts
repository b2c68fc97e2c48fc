// Rows of v3's sessions. In v4, a trace contains the id of its session, so v4 does not need these rows. v4 adds them only when an operator
// migrates down to return to v3.
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'

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

/** Adds the sessions that have no row yet, and returns their number. A session with an invalid id is skipped. */
export async function addSessions(project: InProject, sessions: readonly TraceSession[]): Promise<number> {
  const possible = sessions.filter(({ id }) => canBeId(id))
  if (possible.length === 0) return 0
  const rows = possible.map(({ id, environment, createdAt }) => ({ id, environment, ...timesAt(createdAt) }))
  return project.unaudited(async of => {
    const results = await of
      .insert('trace_sessions', rows)
      .onConflict(conflict => conflict.columns(['id', 'project_id']).doNothing())
      .execute()
    return results.reduce((sum, { numInsertedOrUpdatedRows = 0n }) => sum + Number(numInsertedOrUpdatedRows), 0)
  })
}
