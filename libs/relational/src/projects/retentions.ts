import { parseStoredJson } from '@svc-server/json'
import type { Instance } from '../tenancy/handles.ts'

/** Omits projects without a retention period. Throws `relational_unavailable`. */
export async function readRetentions(all: Instance): Promise<readonly { projectId: string; retentionDays: number }[]> {
  const query = all.select('projects').select(['id', 'retention_days']).where('retention_days', '>', 0).where('deleted_at', 'is', null)
  return (await query.orderBy('id').execute()).map(row => ({ projectId: row.id, retentionDays: row.retention_days! }))
}

export interface FormerRetention {
  readonly projectId: string
  readonly retentionDays: number
  readonly until: Date
}

/** Returns former retention periods from the audit log, including entries that v3 wrote. Throws `relational_unavailable`. */
export async function readFormerRetentions(all: Instance, since: Date): Promise<readonly FormerRetention[]> {
  const changes = all.select('audit_logs').select(['project_id', 'before', 'created_at']).where('created_at', '>=', since)
  const rows = await changes.where('resource_type', '=', 'project').where('action', '=', 'update').execute()
  return rows.flatMap(({ project_id: projectId, before, created_at: until }) => {
    const { retentionDays } = objectIn(before)
    return projectId !== null && typeof retentionDays === 'number' && retentionDays > 0 ? [{ projectId, retentionDays, until }] : []
  })
}

/** Returns an empty object if the text is not a JSON object. */
function objectIn(json: string | null): { readonly retentionDays?: unknown } {
  try {
    return Object(parseStoredJson(json ?? '{}')) as object
  } catch {
    return {}
  }
}
