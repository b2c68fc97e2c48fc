import { z } from 'zod'
import { instant, maxIdLength, responseTime, storedText } from '../fields/fields.ts'

export const GetMediaResponse = z
  .object({
    mediaId: z.string(),
    contentType: z.string(),
    contentLength: z.int(),
    uploadedAt: responseTime,
    url: z.string(),
    urlExpiry: z.string(),
  })
  .meta({ id: 'GetMediaResponse' })

export const MediaContentType = z
  .enum([
    'image/png',
    'image/jpeg',
    'image/jpg',
    'image/webp',
    'image/gif',
    'image/svg+xml',
    'image/tiff',
    'image/bmp',
    'image/avif',
    'image/heic',
    'audio/mpeg',
    'audio/mp3',
    'audio/wav',
    'audio/ogg',
    'audio/oga',
    'audio/aac',
    'audio/mp4',
    'audio/flac',
    'audio/opus',
    'audio/webm',
    'video/mp4',
    'video/webm',
    'video/ogg',
    'video/mpeg',
    'video/quicktime',
    'video/x-msvideo',
    'video/x-matroska',
    'text/plain',
    'text/html',
    'text/css',
    'text/csv',
    'text/markdown',
    'text/x-python',
    'application/javascript',
    'text/x-typescript',
    'application/x-yaml',
    'application/pdf',
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/zip',
    'application/json',
    'application/xml',
    'application/octet-stream',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/rtf',
    'application/x-ndjson',
    'application/vnd.apache.parquet',
    'application/gzip',
    'application/x-tar',
    'application/x-7z-compressed',
  ])
  .meta({ id: 'MediaContentType' })

/** An empty id is treated as absent. */
const optionalStoredId = storedText.max(maxIdLength).nullish()

export const GetMediaUploadUrlRequest = z
  .object({
    traceId: optionalStoredId,
    observationId: optionalStoredId,
    datasetId: optionalStoredId,
    datasetItemId: optionalStoredId,
    contentType: MediaContentType,
    contentLength: z.int().positive(),
    sha256Hash: storedText.regex(/^[A-Za-z0-9+/]{43}=$/, 'Expected the 44 characters of a SHA-256 hash in base64.'),
    field: z.enum(['input', 'output', 'metadata', 'expectedOutput']),
  })
  .meta({ id: 'GetMediaUploadUrlRequest' })

export const GetMediaUploadUrlResponse = z
  .object({
    uploadUrl: z.string().nullable(),
    mediaId: z.string(),
  })
  .meta({ id: 'GetMediaUploadUrlResponse' })

export const PatchMediaBody = z
  .object({
    uploadedAt: instant,
    uploadHttpStatus: z.int().positive().max(2_147_483_647),
    uploadHttpError: storedText.nullish(),
    uploadTimeMs: z.number().nullish(),
  })
  .meta({ id: 'PatchMediaBody' })
