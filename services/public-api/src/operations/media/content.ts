// Receives and sends the bytes of media at signed URLs, for clients that cannot reach the media store.
import * as media from '@svc-server/api/media/operations'
import { AppError } from '@svc-server/errors'
import { getMedia, isUploaded, noteUpload } from '@svc-server/relational/media'
import { inProject } from '@svc-server/relational/tenancy'
import { ByteStream, handle, reply } from '../../request/handler.ts'

const noMedia = () => new AppError('not_found', 'Media asset not found')

export const upload = handle(media.upload, async ({ params: { mediaId }, query, incoming }, deps) => {
  const { project: projectId, expires, signature } = query
  deps.media.check({ action: 'upload', projectId, mediaId, expires }, signature, deps.clock())
  const project = inProject(deps.relational, projectId)
  const found = await getMedia(project, mediaId)
  if (found === undefined) throw noMedia()
  const { contentLength: uploadBytes } = incoming
  if (uploadBytes !== undefined && uploadBytes !== found.contentLength)
    throw new AppError('bad_request', `The upload has ${uploadBytes} bytes, but ${found.contentLength} were announced. Nothing was stored.`)
  await deps.media.blobs().put(found.bucketPath, found, incoming.open())
  if (isUploaded(found)) return reply(200)
  const uploadedAt = new Date(deps.clock())
  await noteUpload(project, mediaId, { uploadedAt, httpStatus: 200 }, uploadedAt)
  return reply(200)
})

/** Users' files are served under the API's host, so browsers must not run them. */
const harmless = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" }

export const download = handle(media.download, async ({ params: { mediaId }, query }, deps) => {
  const { project: projectId, expires, signature } = query
  deps.media.check({ action: 'download', projectId, mediaId, expires }, signature, deps.clock())
  const found = await getMedia(inProject(deps.relational, projectId), mediaId)
  const stored = found === undefined ? undefined : await deps.media.blobs().get(found.bucketPath)
  if (found === undefined || stored === undefined) throw noMedia()
  const headers = { 'content-type': found.contentType, 'cache-control': 'private, max-age=3600, immutable', ...harmless }
  return reply(200, new ByteStream(stored.content, stored.contentLength), headers)
})
