// A saved view is a named URL of the observations table.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Author, userOf } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly search: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

const mostViews = 200
const resourceType = 'savedView'

const viewOf = ({ id, name, search, created_at, updated_at }: RowOf<'saved_views'>): SavedView => ({
  ...{ id, name, search, createdAt: created_at, updatedAt: updated_at },
})

/** Lists the saved views, sorted by name. */
export async function listSavedViews(project: InProject): Promise<readonly SavedView[]> {
  return (await project.select('saved_views').selectAll().orderBy('name').execute()).map(viewOf)
}

/** Replaces any view with the same name. Throws `bad_request` if the project has the maximum number of views. */
export function saveView(project: InProject, by: Author, { name, search }: Pick<SavedView, 'name' | 'search'>): Promise<SavedView> {
  return project.writeInTurn<SavedView>(
    by,
    async rows => {
      const all = await rows.select('saved_views').selectAll().execute()
      const before = all.find(each => each.name === name)
      if (before !== undefined) {
        const set = { search, updated_at: by.at }
        const after = viewOf(await rows.update('saved_views').set(set).where('id', '=', before.id).returningAll().executeTakeFirstOrThrow())
        return { value: after, audit: [{ resourceType, resourceId: before.id, action: 'update', before: viewOf(before), after }] }
      }
      if (all.length >= mostViews) throw new AppError('bad_request', `The project has ${mostViews} saved views. Delete one first.`)
      const row = { id: randomUUID(), name, search, created_by: userOf(by), ...timesAt(by.at) }
      const value = viewOf(await rows.insert('saved_views', row).returningAll().executeTakeFirstOrThrow())
      return { value, audit: [{ resourceType, resourceId: value.id, action: 'create', after: value }] }
    },
    'saved views',
  )
}

export async function deleteSavedView(project: InProject, by: Author, id: string): Promise<boolean> {
  if (!canBeId(id)) return false
  return project.write(by, async rows => {
    const row = await rows.delete('saved_views').where('id', '=', id).returningAll().executeTakeFirst()
    return { value: row !== undefined, audit: row ? [{ resourceType, resourceId: id, action: 'delete', before: viewOf(row) }] : [] }
  })
}
