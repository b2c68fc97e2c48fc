// Operations of media.
import { operation } from '../operation.ts'
import { GetMediaResponse, GetMediaUploadUrlRequest, GetMediaUploadUrlResponse, PatchMediaBody } from './types.ts'

export const get = operation({
  id: 'media.get',
  method: 'GET',
  path: '/api/public/media/{mediaId}',
  auth: 'project',
  responses: { 200: GetMediaResponse },
  servedBy: 'nobody',
  emptyRequest: true,
  summary: 'Get a media record with a URL to download its bytes.',
})

export const patch = operation({
  id: 'media.patch',
  method: 'PATCH',
  path: '/api/public/media/{mediaId}',
  auth: 'project',
  body: PatchMediaBody,
  responses: { 200: null },
  servedBy: 'nobody',
  summary: 'Report the result of an upload.',
})

export const getUploadUrl = operation({
  id: 'media.getUploadUrl',
  method: 'POST',
  path: '/api/public/media',
  auth: 'project',
  body: GetMediaUploadUrlRequest,
  responses: { 201: GetMediaUploadUrlResponse },
  bucket: 'media-upload',
  servedBy: 'nobody',
  summary: 'Create a media record, link it, and get a URL to upload its bytes.',
})
