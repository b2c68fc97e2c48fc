// When a transaction removes a reference, it also marks the media as a deletion candidate, so that no scan over all media is needed.
import { createHash } from 'node:crypto'
import type { Instance, InstanceRows, ProjectRows } from '../tenancy/handles.ts'
import { timesAt } from '../tenancy/times.ts'

/** Value of `pending_deletions.object` for media. */
const mediaObject = 'media'

const idOf = (projectId: string, mediaId: string) =>
  createHash('sha256')
    .update(JSON.stringify([projectId, mediaObject, mediaId]))
    .digest('hex')
    .slice(0, 32)

const batchRows = 1_000

function* notesOf(projectId: string, mediaIds: readonly string[], at: Date) {
  // A fixed order prevents deadlocks.
  const ids = [...new Set(mediaIds)].sort()
  for (let from = 0; from < ids.length; from += batchRows)
    yield ids.slice(from, from + batchRows).map(mediaId => ({
      ...{ id: idOf(projectId, mediaId), object: mediaObject, object_id: mediaId, is_deleted: false },
      ...timesAt(at),
    }))
}

export async function noteUnreferenced(rows: ProjectRows, projectId: string, mediaIds: readonly string[], at: Date): Promise<void> {
  for (const notes of notesOf(projectId, mediaIds, at))
    await rows
      .insert('pending_deletions', notes)
      .onConflict(conflict => conflict.column('id').doUpdateSet({ is_deleted: false, updated_at: at }))
      .execute()
}

export interface StoredMedia {
  readonly id: string
  readonly projectId: string
  readonly bucketName: string
  readonly bucketPath: string
}

async function isReferenced(rows: InstanceRows, projectId: string, mediaId: string): Promise<boolean> {
  for (const table of ['trace_media', 'observation_media', 'dataset_item_media'] as const) {
    const link = rows.select(table).select('id').where('project_id', '=', projectId).where('media_id', '=', mediaId).limit(1)
    if ((await link.executeTakeFirst()) !== undefined) return true
  }
  return false
}

export interface Candidate {
  readonly projectId: string
  readonly mediaId: string
}

/** Oldest first. Throws `relational_unavailable`. */
export async function readCandidates(all: Instance, limit: number): Promise<readonly Candidate[]> {
  const noted = all.select('pending_deletions').select(['project_id', 'object_id']).where('object', '=', mediaObject)
  const rows = await noted.where('is_deleted', '=', false).orderBy('updated_at').limit(limit).execute()
  return rows.map(({ project_id: projectId, object_id: mediaId }) => ({ projectId, mediaId }))
}

/** Returns media of deleted projects. */
export async function readMediaOfDeletedProjects(all: Instance, limit: number): Promise<readonly Candidate[]> {
  const deleted = all.select('projects').select('id').where('deleted_at', 'is not', null)
  const rows = await all.select('media').select(['project_id', 'id']).where('project_id', 'in', deleted).limit(limit).execute()
  return rows.map(({ project_id: projectId, id: mediaId }) => ({ projectId, mediaId }))
}

/**
 * Calls `removeBytes` and then deletes the row. No reference to the file can be added meanwhile. If the file has a reference and its
 * project was not deleted, the file is kept, and the function returns false. If `removeBytes` throws, the file remains a deletion
 * candidate.
 */
export const deleteUnreferenced = (
  all: Instance,
  { projectId, mediaId }: Candidate,
  removeBytes: (media: StoredMedia) => Promise<void>,
): Promise<boolean> =>
  all.unaudited(async rows => {
    const own = rows.select('media').select(['id', 'bucket_name', 'bucket_path']).where('project_id', '=', projectId)
    const media = await own.where('id', '=', mediaId).forUpdate().executeTakeFirst()
    const project = await rows.select('projects').select('deleted_at').where('id', '=', projectId).executeTakeFirst()
    const goes = media !== undefined && (project?.deleted_at != null || !(await isReferenced(rows, projectId, mediaId)))
    if (goes) {
      await removeBytes({ id: mediaId, projectId, bucketName: media.bucket_name, bucketPath: media.bucket_path })
      await rows.delete('media').where('project_id', '=', projectId).where('id', '=', mediaId).execute()
    }
    await rows.delete('pending_deletions').where('id', '=', idOf(projectId, mediaId)).execute()
    return goes
  })

export interface ExpiredLinks {
  readonly projectId: string
  readonly before: Date
}

/** Returns the number of removed links. */
export const unlinkExpired = (all: Instance, { projectId, before }: ExpiredLinks, at: Date): Promise<number> =>
  all.unaudited(async rows => {
    let count = 0
    for (const table of ['trace_media', 'observation_media'] as const) {
      const old = rows.delete(table).where('project_id', '=', projectId).where('created_at', '<', before)
      count += await noted(rows, await old.returning(['project_id', 'media_id']).execute(), at)
    }
    return count
  })

/**
 * Removes abandoned references. A reference is abandoned if it was added for a new version of a dataset item, but this version was never
 * written. Keeps references that were added at or after `before`. Marks the files of the removed references as deletion candidates. Returns
 * the number of removed references.
 */
export const unlinkAbandoned = (all: Instance, before: Date, at: Date): Promise<number> =>
  all.unaudited(async rows => {
    const old = rows.delete('dataset_item_media').where('dataset_item_valid_from', 'is', null).where('created_at', '<', before)
    return noted(rows, await old.returning(['project_id', 'media_id']).execute(), at)
  })

type Link = { readonly project_id: string; readonly media_id: string }

async function noted(rows: InstanceRows, links: readonly Link[], at: Date): Promise<number> {
  for (const [project_id, of] of Map.groupBy(links, link => link.project_id)) {
    const ids = of.map(({ media_id }) => media_id)
    for (const notes of notesOf(project_id, ids, at))
      await rows
        .insert(
          'pending_deletions',
          notes.map(note => ({ ...note, project_id })),
        )
        .onConflict(conflict => conflict.column('id').doUpdateSet({ is_deleted: false, updated_at: at }))
        .execute()
  }
  return links.length
}
