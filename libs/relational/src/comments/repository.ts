// Comments of a project (contract §18.3). The caller checks that the commented object exists.
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableText } from '../tenancy/json.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

type CommentObjectType = 'TRACE' | 'OBSERVATION' | 'SESSION' | 'PROMPT'

export interface NewComment {
  readonly objectType: CommentObjectType
  readonly objectId: string
  readonly content: string
  readonly authorUserId?: string | null
}

export interface Comment extends Required<NewComment> {
  readonly id: string
  readonly projectId: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

type CommentObject = Pick<NewComment, 'objectType' | 'objectId'>

/** An absent field matches all comments. */
export type CommentFilter = Partial<CommentObject> & {
  readonly authorUserId?: string
  /** Must not be empty. */
  readonly objects?: readonly CommentObject[]
}

const viewOf = (row: RowOf<'comments'>): Comment => ({
  id: row.id,
  projectId: row.project_id,
  objectType: row.object_type as CommentObjectType,
  objectId: row.object_id,
  content: row.content,
  authorUserId: row.author_user_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** The caller must have checked that the object and the author exist. */
export const createComment = (
  project: InProject,
  by: Author,
  { objectType, objectId, content, authorUserId = null }: NewComment,
): Promise<Comment> =>
  project.write(by, async rows => {
    const row = await rows
      .insert('comments', {
        ...{ id: randomUUID(), object_type: objectType, object_id: objectId, content: storableText(content) },
        ...{ author_user_id: authorUserId, path: [], range_start: [], range_end: [], ...timesAt(by.at) },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const value = viewOf(row)
    return { value, audit: [{ resourceType: 'comment', resourceId: value.id, action: 'create', after: value }] }
  })

export async function getComment(project: InProject, id: string): Promise<Comment | undefined> {
  const row = await project.find('comments', id)
  return row && viewOf(row)
}

/** Newest first. */
export async function listComments(
  project: InProject,
  { objectType, objectId, authorUserId, objects }: CommentFilter,
  page: Page,
): Promise<PageOf<Comment>> {
  if ([objectId, authorUserId, ...(objects ?? []).map(object => object.objectId)].some(id => id !== undefined && !canBeId(id)))
    return { rows: [], totalItems: 0 }
  let query = project.select('comments').selectAll()
  if (objectType !== undefined) query = query.where('object_type', '=', objectType)
  if (objectId !== undefined) query = query.where('object_id', '=', objectId)
  if (objects !== undefined) {
    query = query.where(eb =>
      eb.or(objects.map(object => eb.and([eb('object_type', '=', object.objectType), eb('object_id', '=', object.objectId)]))),
    )
  }
  if (authorUserId !== undefined) query = query.where('author_user_id', '=', authorUserId)
  return mapPage(await pageOf(query.orderBy('created_at', 'desc').orderBy('id', 'desc'), page), viewOf)
}

export async function deleteComment(project: InProject, by: Author, id: string): Promise<boolean> {
  if (!canBeId(id)) return false
  return project.write<boolean>(by, async rows => {
    const row = await rows.delete('comments').where('id', '=', id).returningAll().executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    return { value: true, audit: [{ resourceType: 'comment', resourceId: id, action: 'delete', before: viewOf(row) }] }
  })
}
