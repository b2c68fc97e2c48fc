// Labels that only administrators can move in the web app. API keys can move every label.
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { timesAt } from '../tenancy/times.ts'
import { requireLabels } from './rules.ts'

const resourceType = 'promptProtectedLabel'

export async function readProtectedLabels(project: InProject): Promise<readonly string[]> {
  const rows = await project.select('prompt_protected_labels').select('label').orderBy('label').execute()
  return rows.map(({ label }) => label)
}

/** Protecting a label again has no effect. Throws `bad_request` for a malformed label. */
export async function protectLabel(project: InProject, by: Author, label: string): Promise<void> {
  requireLabels([label])
  await project.write(by, async rows => {
    const row = await rows
      .insert('prompt_protected_labels', { id: randomUUID(), label, ...timesAt(by.at) })
      .onConflict(conflict => conflict.columns(['project_id', 'label']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return { value: undefined, audit: row === undefined ? [] : [{ resourceType, resourceId: row.id, action: 'create', after: { label } }] }
  })
}

export async function unprotectLabel(project: InProject, by: Author, label: string): Promise<boolean> {
  if (!canBeId(label)) return false
  return project.write<boolean>(by, async rows => {
    const row = await rows.delete('prompt_protected_labels').where('label', '=', label).returning('id').executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType, resourceId: row.id, action: 'delete', before: { label } }] }
  })
}
