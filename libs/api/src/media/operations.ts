import { z } from 'zod'
import { queryInteger, queryText, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { GetMediaResponse, GetMediaUploadUrlRequest, GetMediaUploadUrlResponse, PatchMediaBody } from './types.ts'

export const get = operation({
  id: 'media.get',
  method: 'GET',
  path: '/api/public/media/{mediaId}',
  auth: 'project',
  responses: { 200: GetMediaResponse },
  errors: ['not_found', 'blob_store_unavailable'],
  emptyRequest: true,
  summary: 'Get a media record with a URL to download its bytes.',
})

export const patch = operation({
  id: 'media.patch',
  method: 'PATCH',
  path: '/api/public/media/{mediaId}',
  auth: 'project',
  body: PatchMediaBody,
  responses: { 200: z.object({ message: z.string() }) },
  errors: ['not_found', 'blob_store_unavailable'],
  summary: 'Report the result of an upload.',
})

export const getUploadUrl = operation({
  id: 'media.getUploadUrl',
  method: 'POST',
  path: '/api/public/media',
  auth: 'project',
  body: GetMediaUploadUrlRequest,
  responses: { 201: GetMediaUploadUrlResponse },
  errors: ['bad_request', 'not_found'],
  bucket: 'media-upload',
  summary: 'Create a media record, link it, and get a URL to upload its bytes.',
})

/** The server has signed these parameters, so clients cannot forge them. */
const signed = z.object({
  project: required(queryText),
  expires: required(queryInteger({ min: 0, max: 99_999_999_999 })),
  signature: required(queryText),
})

export const upload = operation({
  id: 'media.upload',
  method: 'PUT',
  path: '/api/public/media/{mediaId}/content',
  auth: 'open',
  query: signed,
  bytes: 'request',
  responses: { 200: null },
  errors: ['signature_invalid', 'not_found', 'bad_request', 'blob_store_unavailable'],
  bucket: 'none',
  surface: 'extra',
  summary: 'Upload the bytes of media to a URL that POST /api/public/media returned.',
})

export const download = operation({
  id: 'media.download',
  method: 'GET',
  path: '/api/public/media/{mediaId}/content',
  auth: 'open',
  query: signed,
  bytes: 'response',
  responses: { 200: null },
  errors: ['signature_invalid', 'not_found', 'blob_store_unavailable'],
  bucket: 'none',
  surface: 'extra',
  summary: 'Download the bytes of media from a URL that GET /api/public/media/{mediaId} returned.',
})
