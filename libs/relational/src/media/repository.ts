// Media of a project: files by the hash of their content, and the traces and observations that refer to them
// (public-api-data.md §1.8). The bytes are in blob storage.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableText } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { timesAt } from '../tenancy/times.ts'

export interface Media {
  readonly id: string
  readonly projectId: string
  readonly sha256Hash: string
  readonly contentType: string
  readonly contentLength: number
  readonly bucketName: string
  readonly bucketPath: string
  /** Null: not uploaded yet. */
  readonly uploadedAt: Date | null
  readonly uploadHttpStatus: number | null
  readonly uploadHttpError: string | null
  readonly createdAt: Date
}

export interface NewMedia {
  /** 44 characters of base64. */
  readonly sha256Hash: string
  readonly contentType: string
  readonly contentLength: number
  readonly bucketName: string
  readonly bucketPath: string
}

type MediaOrigin = 'UNKNOWN' | 'CLIENT_UPLOAD' | 'INGESTION_MEDIA_EXTRACTION' | 'INGESTION_FIELD_OVERFLOW'

/** Where a file is referred to: in a field of a trace, or of one of its observations. */
export interface MediaPlace {
  readonly traceId: string
  readonly observationId?: string | null
  /** input, output or metadata. */
  readonly field: string
  readonly origin: MediaOrigin
}

export interface UploadResult {
  readonly uploadedAt: Date
  readonly httpStatus: number
  readonly httpError?: string | null
}

const hashPattern = /^[A-Za-z0-9+/]{43}=$/

/** The id of a file by its hash: the same for every client. Throws `bad_request` for a text that is no hash. */
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

/** True: its bytes are there, under the content type that they were uploaded with. */
export const isUploaded = ({ uploadHttpStatus }: Media): boolean => uploadHttpStatus === 200 || uploadHttpStatus === 201

/**
 * The file of this hash, made when there is none, however many ask at once. One that is not uploaded, or comes with another
 * content type, takes what is given and is to be uploaded again.
 */
export async function ensureMedia(project: InProject, given: NewMedia, at: Date): Promise<Media> {
  const id = mediaIdOf(given.sha256Hash)
  const place = {
    content_type: given.contentType,
    content_length: given.contentLength,
    bucket_name: given.bucketName,
    bucket_path: given.bucketPath,
  }
  return project.unaudited(async rows => {
    const made = await rows
      .insert('media', { id, sha_256_hash: given.sha256Hash, ...place, ...timesAt(at) })
      .onConflict(conflict => conflict.columns(['project_id', 'sha_256_hash']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (made !== undefined) return viewOf(made)
    const found = viewOf(
      await rows.select('media').selectAll().where('sha_256_hash', '=', given.sha256Hash).forUpdate().executeTakeFirstOrThrow(),
    )
    if (isUploaded(found) && found.contentType === given.contentType) return found
    const again = { ...place, uploaded_at: null, upload_http_status: null, upload_http_error: null, updated_at: at }
    return viewOf(await rows.update('media').set(again).where('id', '=', found.id).returningAll().executeTakeFirstOrThrow())
  })
}

export async function getMedia(project: InProject, id: string): Promise<Media | undefined> {
  const row = await project.find('media', id)
  return row && viewOf(row)
}

/** Those of these ids that there are. */
export async function readMedia(project: InProject, ids: readonly string[]): Promise<readonly Media[]> {
  const possible = ids.filter(canBeId)
  if (possible.length === 0) return []
  return (await project.select('media').selectAll().where('id', 'in', possible).execute()).map(viewOf)
}

/** What came of the upload. Undefined: there is no such file. */
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

/** Once, however often. Ids of the place are texts that can be ids. Throws `reference_missing` when there is no such file. */
export async function linkMedia(
  project: InProject,
  mediaId: string,
  { traceId, observationId = null, field, origin }: MediaPlace,
  at: Date,
): Promise<void> {
  const link = { id: randomUUID(), media_id: mediaId, trace_id: traceId, field, origin, ...timesAt(at) }
  await project.unaudited(async rows => {
    const query =
      observationId === null
        ? rows
            .insert('trace_media', link)
            .onConflict(conflict => conflict.columns(['project_id', 'trace_id', 'media_id', 'field']).doNothing())
        : rows
            .insert('observation_media', { ...link, observation_id: observationId })
            .onConflict(conflict => conflict.columns(['project_id', 'trace_id', 'observation_id', 'media_id', 'field']).doNothing())
    await query.execute()
  })
}

/** Files of a trace and of all its observations, with where they are referred to. */
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

/** The links of deleted traces. Files stay: other traces may refer to them. */
export async function unlinkTraces(rows: ProjectRows, traceIds: readonly string[]): Promise<void> {
  const possible = traceIds.filter(canBeId)
  if (possible.length === 0) return
  for (const table of ['trace_media', 'observation_media'] as const) await rows.delete(table).where('trace_id', 'in', possible).execute()
}
