// A session without a row is neither bookmarked nor public.
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface TraceSession {
  readonly id: string
  readonly projectId: string
  readonly bookmarked: boolean
  readonly public: boolean
  readonly environment: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

const viewOf = (row: RowOf<'trace_sessions'>): TraceSession => ({
  id: row.id,
  projectId: row.project_id,
  bookmarked: row.bookmarked,
  public: row.public,
  environment: row.environment,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Existing rows stay unchanged. */
export const noteSessions = (
  project: InProject,
  sessions: readonly { readonly id: string; readonly environment: string }[],
  at: Date,
): Promise<void> =>
  project.unaudited(async rows => {
    if (sessions.length === 0) return
    // A fixed order prevents deadlocks.
    const sorted = [...sessions].sort((a, b) => (a.id < b.id ? -1 : 1))
    await rows
      .insert(
        'trace_sessions',
        sorted.map(({ id, environment }) => ({ id, environment, bookmarked: false, public: false, ...timesAt(at) })),
      )
      .onConflict(conflict => conflict.columns(['id', 'project_id']).doNothing())
      .execute()
  })

export async function getSession(project: InProject, id: string): Promise<TraceSession | undefined> {
  const row = await project.find('trace_sessions', id)
  return row && viewOf(row)
}

/** Sessions without a row are omitted. */
export async function readSessions(project: InProject, ids: readonly string[]): Promise<readonly TraceSession[]> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return []
  return (await project.select('trace_sessions').selectAll().where('id', 'in', possible).execute()).map(viewOf)
}

/** Newest first. */
export async function listSessions(project: InProject, page: Page): Promise<PageOf<TraceSession>> {
  const query = project.select('trace_sessions').selectAll().orderBy('created_at', 'desc').orderBy('id')
  return mapPage(await pageOf(query, page), viewOf)
}

/** The session need not have a row yet. Returns undefined for an invalid id. */
export async function markSession(
  project: InProject,
  by: Author,
  id: string,
  marks: { readonly bookmarked?: boolean; readonly public?: boolean },
): Promise<TraceSession | undefined> {
  if (!canBeId(id)) return undefined
  return project.write(by, async rows => {
    const row = await rows
      .insert('trace_sessions', { id, bookmarked: false, public: false, environment: 'default', ...marks, ...timesAt(by.at) })
      .onConflict(conflict => conflict.columns(['id', 'project_id']).doUpdateSet({ ...marks, updated_at: by.at }))
      .returningAll()
      .executeTakeFirstOrThrow()
    return { value: viewOf(row), audit: [{ resourceType: 'session', resourceId: id, action: 'update', after: marks }] }
  })
}
