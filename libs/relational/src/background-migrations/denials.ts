// Reads the deletions for the backfill. The backfill copies old rows, and must not restore rows whose deletion was requested.
import type { Instance } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

export interface Denial {
  readonly id: string
  readonly projectId: string
  /** Empty if the whole project was deleted. */
  readonly traceId: string
  readonly atMs: number
}

/** Includes completed deletions. */
export async function readDeletions(
  all: Instance,
  from: { readonly atMs: number; readonly id: string },
  limit: number,
): Promise<readonly Denial[]> {
  const at = sql`floor(extract(epoch from created_at) * 1000)`
  const rows = await all.run(sql<Omit<Denial, 'atMs'> & { atMs: string }>`select id, project_id as "projectId", ${at}::text as "atMs",
    case object when 'project' then '' else object_id end as "traceId"
    from pending_deletions where (object = 'project' or (object = 'trace' and object_id != '')) and (${at} > ${from.atMs} or (${at} = ${from.atMs} and id > ${from.id}))
    order by ${at}, id limit ${limit}`)
  return rows.map(row => ({ ...row, atMs: Number(row.atMs) }))
}

/** Returns the projects that are deleted or being deleted, even if they have no rows any more. */
export async function readDeletedProjects(all: Instance): Promise<readonly string[]> {
  const rows = await all.run(
    sql<{ id: string }>`select id from projects where deleted_at is not null union select id from deleted_projects`,
  )
  return rows.map(({ id }) => id)
}
