// Stores the files of a project, which are identified by content hash. Also stores which traces, observations and dataset items refer to a
// file (contract §17.8).
import { AppError } from '@svc-server/errors'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableText } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'
import { linkIn, type MediaPlace } from './links.ts'

export interface Media {
  readonly id: string
  readonly projectId: string
  readonly sha256Hash: string
  readonly contentType: string
  readonly contentLength: number
  readonly bucketName: string
  readonly bucketPath: string
  /** Null before the upload. */
  readonly uploadedAt: Date | null
  readonly uploadHttpStatus: number | null
  readonly uploadHttpError: string | null
  readonly createdAt: Date
}

export interface NewMedia {
  /** SHA-256 hash in base64 (44 characters). */
  readonly sha256Hash: string
  readonly contentType: string
  readonly contentLength: number
  readonly bucketName: string
  readonly bucketPath: string
}

export interface UploadResult {
  readonly uploadedAt: Date
  readonly httpStatus: number
  readonly httpError?: string | null
}

const hashPattern = /^[A-Za-z0-9+/]{43}=$/

/** Returns the id of the file with this hash. The same hash always gives the same id. Throws `bad_request` for an invalid hash. */
export function mediaIdOf(sha256Hash: string): string {
  if (!hashPattern.test(sha256Hash)) throw new AppError('bad_request', 'sha256Hash must be the 44 characters of a SHA-256 hash in base64.')
  return sha256Hash.slice(0, 22).replaceAll('+', '-').replaceAll('/', '_')
}

const viewOf = (row: RowOf<'media'>): Media => ({
  id: row.id,
  projectId: row.project_id,
  sha256Hash: row.sha_256_hash,
  contentType: row.content_type,
  contentLength: Number(row.content_length),
  bucketName: row.bucket_name,
  bucketPath: row.bucket_path,
  uploadedAt: row.uploaded_at,
  uploadHttpStatus: row.upload_http_status,
  uploadHttpError: row.upload_http_error,
  createdAt: row.created_at,
})

export const isUploaded = ({ uploadHttpStatus }: Media): boolean => uploadHttpStatus === 200 || uploadHttpStatus === 201

/**
 * Creates the file with this hash if it is missing. If the existing file is not uploaded yet, or does not have the given content type, its
 * row gets the given values (if the bucket stays the same, the row keeps its key). The client must then upload the file to the row's bucket
 * and key, even if the client has uploaded it before. Throws `bad_request` if a file with a different hash has the same id.
 */
async function ensureIn(rows: ProjectRows, given: NewMedia, at: Date, isRetry = false): Promise<Media> {
  const id = mediaIdOf(given.sha256Hash)
  const { contentType: content_type, contentLength: content_length, bucketName: bucket_name, bucketPath: bucket_path } = given
  const place = { content_type, content_length, bucket_name, bucket_path }
  const made = await rows
    .insert('media', { id, sha_256_hash: given.sha256Hash, ...place, ...timesAt(at) })
    // A concurrent request can insert the same id or hash.
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (made !== undefined) return viewOf(made)
  const row = await rows.select('media').selectAll().where('sha_256_hash', '=', given.sha256Hash).forUpdate().executeTakeFirst()
  if (row === undefined) {
    if (isRetry)
      throw new AppError('bad_request', 'sha256Hash begins with the same characters as the hash of a different file of the project.')
    // The row is missing if a concurrent transaction has just deleted the file.
    return ensureIn(rows, given, at, true)
  }
  const found = viewOf(row)
  if (isUploaded(found) && found.contentType === given.contentType) return found
  const former = found.bucketName === given.bucketName ? { bucket_path: found.bucketPath } : {}
  const again = { ...place, ...former, uploaded_at: null, upload_http_status: null, upload_http_error: null, updated_at: at }
  return viewOf(await rows.update('media').set(again).where('id', '=', found.id).returningAll().executeTakeFirstOrThrow())
}

/** Like `registerMedia`, but adds no reference. Only tests use this function. */
export const ensureMedia = (project: InProject, given: NewMedia, at: Date): Promise<Media> =>
  project.unaudited(rows => ensureIn(rows, given, at))

/**
 * The transaction that creates the file also adds a reference, so that the file is never unreferenced. Throws `not_found` for an unknown
 * dataset.
 */
export const registerMedia = (project: InProject, given: NewMedia, place: MediaPlace, at: Date): Promise<Media> =>
  project.unaudited(async rows => {
    const media = await ensureIn(rows, given, at)
    await linkIn(rows, media.id, place, at)
    return media
  })

export async function getMedia(project: InProject, id: string): Promise<Media | undefined> {
  const row = await project.find('media', id)
  return row && viewOf(row)
}

/** Unknown ids are omitted. */
export async function readMedia(project: Pick<InProject, 'select'>, ids: readonly string[]): Promise<readonly Media[]> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return []
  return (await project.select('media').selectAll().where('id', 'in', possible).execute()).map(viewOf)
}

export async function noteUpload(
  project: InProject,
  id: string,
  { uploadedAt, httpStatus, httpError = null }: UploadResult,
  at: Date,
): Promise<Media | undefined> {
  if (!canBeId(id)) return undefined
  const upload_http_error = httpError === null ? null : storableText(httpError)
  const result = { uploaded_at: uploadedAt, upload_http_status: httpStatus, upload_http_error, updated_at: at }
  const row = await project.unaudited(rows => rows.update('media').set(result).where('id', '=', id).returningAll().executeTakeFirst())
  return row && viewOf(row)
}

export async function readMediaOfTrace(
  project: InProject,
  traceId: string,
): Promise<readonly (Media & { readonly observationId: string | null; readonly field: string })[]> {
  if (!canBeId(traceId)) return []
  const ofTrace = await project
    .select('trace_media')
    .innerJoin('media', 'media.id', 'trace_media.media_id')
    .selectAll('media')
    .select('trace_media.field')
    .where('trace_media.trace_id', '=', traceId)
    .execute()
  const ofObservations = await project
    .select('observation_media')
    .innerJoin('media', 'media.id', 'observation_media.media_id')
    .selectAll('media')
    .select(['observation_media.field', 'observation_media.observation_id'])
    .where('observation_media.trace_id', '=', traceId)
    .execute()
  return [
    ...ofTrace.map(row => ({ ...viewOf(row), observationId: null, field: row.field })),
    ...ofObservations.map(row => ({ ...viewOf(row), observationId: row.observation_id, field: row.field })),
  ]
}

export interface ItemMedia extends Media {
  readonly field: string
  readonly jsonPath: string
  readonly referenceString: string
}

export interface ItemVersion {
  readonly id: string
  readonly validFrom: Date
}

/** Returns the media of each item, sorted by field and path. `items` must contain at most one version of each dataset item. */
export async function readMediaOfItems(
  project: InProject,
  items: readonly ItemVersion[],
): Promise<ReadonlyMap<string, readonly ItemMedia[]>> {
  if (items.length === 0) return new Map()
  const rows = await project
    .select('dataset_item_media')
    .innerJoin('media', 'media.id', 'dataset_item_media.media_id')
    .selectAll('media')
    .select(['dataset_item_id', 'dataset_item_valid_from', 'field', 'json_path', 'reference_string'])
    .where(
      'dataset_item_id',
      'in',
      items.map(({ id }) => id),
    )
    .where('dataset_item_valid_from', 'is not', null)
    .orderBy('field')
    .orderBy('json_path')
    .execute()
  const shown = new Map(items.map(({ id, validFrom }) => [id, validFrom.getTime()]))
  const own = rows.filter(row => shown.get(row.dataset_item_id) === row.dataset_item_valid_from?.getTime())
  return new Map(
    [...Map.groupBy(own, row => row.dataset_item_id)].map(([id, of]) => [
      id,
      of.map(row => ({ ...viewOf(row), field: row.field, jsonPath: row.json_path ?? '$', referenceString: row.reference_string ?? '' })),
    ]),
  )
}
