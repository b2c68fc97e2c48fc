// A medium has a record with the hash of its bytes. The API returns the URLs at which clients upload and download the bytes (contract
// §17.8).
import { isSet } from '@svc-server/api/fields/fields'
import * as media from '@svc-server/api/media/operations'
import { AppError } from '@svc-server/errors'
import { getMedia, isUploaded, type Media, mediaIdOf, noteUpload, registerMedia } from '@svc-server/relational/media'
import { inProject } from '@svc-server/relational/tenancy'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, type RequestOf, reply } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

const noMedia = () => new AppError('not_found', 'Media asset not found')

const invalid = (message: string, path: string) => new InvalidBody(refused(message, [path]))

type Given = RequestOf<typeof media.getUploadUrl>['body']

function placeOf({ traceId, observationId, datasetId, datasetItemId, field }: Given) {
  if (isSet(traceId)) {
    if (isSet(datasetId) || isSet(datasetItemId)) throw invalid('Give a trace or a dataset item, not both.', 'traceId')
    if (field === 'expectedOutput')
      throw invalid('Expected one of the fields input, output and metadata of a trace or an observation.', 'field')
    return { traceId, observationId: isSet(observationId) ? observationId : null, field, origin: 'CLIENT_UPLOAD' as const }
  }
  if (isSet(observationId)) throw invalid('An observation also needs the id of its trace.', 'traceId')
  if (!isSet(datasetId) || !isSet(datasetItemId)) throw invalid('Name a trace, or a dataset and its item.', 'traceId')
  if (field === 'output') throw invalid('Expected one of the fields input, expectedOutput and metadata of a dataset item.', 'field')
  return { datasetId, datasetItemId, field }
}

export const getUploadUrl = handle(media.getUploadUrl, async ({ project: { projectId }, body, origin }, deps) => {
  const { contentType, contentLength, sha256Hash } = body
  const access = deps.media
  if (contentLength > access.maxContentLength) throw invalid(`Expected at most ${access.maxContentLength} bytes.`, 'contentLength')
  const place = placeOf(body)
  const bucketPath = access.keyOf(projectId, mediaIdOf(sha256Hash), contentType)
  const given = { contentType, contentLength, sha256Hash, bucketName: access.blobs().name, bucketPath }
  const made = await registerMedia(inProject(deps.relational, projectId), given, place, new Date(deps.clock()))
  return reply(201, { mediaId: made.id, uploadUrl: isUploaded(made) ? null : await access.uploadUrl(made, origin) })
})

export const get = handle(media.get, async ({ project: { projectId }, params: { mediaId }, origin }, deps) => {
  const found = await getMedia(inProject(deps.relational, projectId), mediaId)
  if (found === undefined) throw noMedia()
  if (!isUploaded(found)) throw new AppError('not_found', notUploaded(found))
  const { contentType, contentLength, uploadedAt } = found
  const url = await deps.media.downloadUrl(found, origin)
  return reply(200, { mediaId, contentType, contentLength, uploadedAt: uploadedAt!.toISOString(), ...url })
})

function notUploaded({ id, uploadHttpStatus, uploadHttpError }: Media): string {
  if (uploadHttpStatus === null) return `Media ${id} has not been uploaded yet.`
  const said = isSet(uploadHttpError) ? `: ${uploadHttpError.slice(0, 500)}` : ''
  return `The upload of media ${id} failed with status ${uploadHttpStatus}${said}`
}

const isStored = (status: number) => status === 200 || status === 201

/** Undefined if they match. */
async function contradiction({ bucketPath, contentLength, sha256Hash }: Media, { media }: Dependencies): Promise<string | undefined> {
  const facts = await media.blobs().facts(bucketPath)
  if (facts === undefined) return 'The store does not contain the bytes.'
  if (facts.contentLength !== contentLength) return `The stored file has ${facts.contentLength} bytes, but ${contentLength} were announced.`
  if (facts.sha256Hash !== undefined && facts.sha256Hash !== sha256Hash) return 'The store contains bytes with a different hash.'
  return undefined
}

export const patch = handle(media.patch, async ({ project: { projectId }, params: { mediaId }, body }, deps) => {
  const project = inProject(deps.relational, projectId)
  const found = await getMedia(project, mediaId)
  if (found === undefined) throw noMedia()
  const { uploadedAt, uploadHttpStatus, uploadHttpError } = body
  const wrong = isStored(uploadHttpStatus) ? await contradiction(found, deps) : undefined
  const result =
    wrong === undefined
      ? { uploadedAt, httpStatus: uploadHttpStatus, httpError: uploadHttpError ?? null }
      : { uploadedAt, httpStatus: 404, httpError: wrong }
  if ((await noteUpload(project, mediaId, result, new Date(deps.clock()))) === undefined) throw noMedia()
  return reply(200, { message: 'OK' })
})
