// v3 shows only sessions that have a row in `trace_sessions`. v4 does not write these rows, so they are added before a return to v3.
import type { ColumnStore } from '@svc-server/column-store/port'
import { addSessions } from '@svc-server/relational/sessions'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject, instance } from '@svc-server/relational/tenancy'
import { hasTable } from './has-table.ts'

const rowsAtOnce = 5_000

/**
 * Finds the sessions of all traces in the old table `traces`, and adds a row to the table `trace_sessions` for each session that has none.
 * Returns the number of added rows. Can be repeated. Rejects with column_store_* or relational_store_*.
 */
export async function addSessionsOfTraces(columnStore: ColumnStore, relational: RelationalStore): Promise<number> {
  if (!(await hasTable(columnStore, 'traces'))) return 0
  const projects = await instance(relational).select('projects').select('id').execute()
  let added = 0
  for (const { id: projectId } of projects) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await sessionsAfter(after, projectId, columnStore)
      added += await addSessions(inProject(relational, projectId), page)
      after = page.length < rowsAtOnce ? undefined : page.at(-1)!.id
    }
  }
  return added
}

async function sessionsAfter(after: string, projectId: string, columnStore: ColumnStore) {
  const rows = await columnStore.query<{ readonly id: string; readonly environment: string; readonly createdMs: string }>(
    `SELECT assumeNotNull(session_id) AS id, argMin(environment, created_at) AS environment,
       toString(toUnixTimestamp64Milli(min(created_at))) AS createdMs
     FROM traces FINAL WHERE project_id = {projectId:String} AND is_deleted = 0 AND session_id > {after:String}
     GROUP BY id ORDER BY id LIMIT {limit:UInt32}`,
    { projectId, after, limit: rowsAtOnce },
  )
  return rows.map(({ createdMs, ...row }) => ({ ...row, createdAt: new Date(Number(createdMs)) }))
}
