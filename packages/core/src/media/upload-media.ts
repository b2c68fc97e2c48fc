// Uploads media to an upload URL that the server provides.
import type { RequestOptions } from '../api/core/request.ts'
import { getGlobalLogger, type Logger } from '../logging/logger.ts'
import type { SvcMedia } from './media.ts'

interface UploadUrlRequest {
  readonly contentLength: number
  readonly contentType: string
  readonly sha256Hash: string
  readonly field: string
  readonly traceId?: string | undefined
  readonly observationId?: string | undefined
  readonly datasetId?: string | undefined
  readonly datasetItemId?: string | undefined
}

interface UploadReport {
  readonly uploadedAt: string
  readonly uploadHttpStatus: number
  readonly uploadHttpError?: string | undefined
  readonly uploadTimeMs: number
}

/** The API methods that an upload calls. The API client has these methods, and so has the result of `createMediaApi`. */
export interface MediaApi {
  readonly media: {
    // This interface accepts any text as the content type, but the generated client accepts only an enumeration. The client still fits the
    // interface, because `getUploadUrl` is a method, not a function property. The compiler checks the parameters of methods less strictly.
    getUploadUrl(
      request: UploadUrlRequest,
      requestOptions?: RequestOptions,
    ): PromiseLike<{ mediaId: string; uploadUrl?: string | null | undefined }>
    patch(mediaId: string, report: UploadReport, requestOptions?: RequestOptions): PromiseLike<unknown>
  }
}

export interface UploadMediaParams {
  readonly apiClient: MediaApi
  readonly media: SvcMedia
  readonly traceId?: string | undefined
  readonly observationId?: string | undefined
  readonly datasetId?: string | undefined
  readonly datasetItemId?: string | undefined
  /**
   * Field that contains the media. It is `input`, `output` or `metadata` of an observation, or `input`, `expectedOutput` or `metadata` of a
   * dataset item.
   */
  readonly field: string
  readonly logger?: Logger | undefined
  /** Number of retries (default 3). */
  readonly maxRetries?: number | undefined
  /** Milliseconds before the first retry (default 1000), doubled for each further retry. */
  readonly baseDelay?: number | undefined
  /** Time limit of each API call. The upload itself has no limit. */
  readonly timeoutInSeconds?: number | undefined
}

const isStored = (status: number): boolean => status === 200 || status === 201

/** Google's storage rejects headers that are not part of the signature. */
function headersFor(url: string, contentType: string, hash: string): Record<string, string> {
  const host = new URL(url).hostname
  if (host === 'storage.googleapis.com' || host.endsWith('.storage.googleapis.com')) return { 'Content-Type': contentType }
  return { 'Content-Type': contentType, 'x-amz-checksum-sha256': hash, 'x-ms-blob-type': 'BlockBlob' }
}

async function put(url: string, init: RequestInit, maxRetries: number, baseDelay: number): Promise<Response> {
  for (let retry = 0; ; retry++) {
    try {
      const response = await fetch(url, init)
      if (isStored(response.status) || retry >= maxRetries) return response
      await response.body?.cancel()
    } catch (error) {
      if (retry >= maxRetries) throw error
    }
    await new Promise(resolve => setTimeout(resolve, baseDelay * 2 ** retry + Math.random() * 1000))
  }
}

const withoutUndefined = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T

/** Uploads the content unless the server already has it. Rejects if the content cannot be stored. */
export async function uploadMedia(params: UploadMediaParams): Promise<void> {
  const { apiClient, media, field, maxRetries = 3, baseDelay = 1000 } = params
  const logger = params.logger ?? getGlobalLogger()
  const requestOptions = params.timeoutInSeconds === undefined ? {} : { timeoutInSeconds: params.timeoutInSeconds }
  const [contentType, contentLength, sha256Hash, bytes] = [
    media._contentType,
    media.contentLength,
    await media.getSha256Hash(),
    media._contentBytes,
  ]
  if (!contentType || !contentLength || !sha256Hash || !bytes) throw new Error('The media cannot be uploaded: its content is incomplete.')

  const { traceId, observationId, datasetId, datasetItemId } = params
  const request = withoutUndefined({ contentLength, contentType, sha256Hash, field, traceId, observationId, datasetId, datasetItemId })
  const { mediaId, uploadUrl } = await apiClient.media.getUploadUrl(request as UploadUrlRequest, requestOptions)
  if (!uploadUrl) {
    logger.debug(`Media ${mediaId} is already stored; it is not uploaded again.`)
    return
  }
  const ownId = await media.getId()
  if (mediaId !== ownId) {
    throw new Error(
      `Media integrity error: the server returned the id ${mediaId}, but the hash of the content gives the id ${ownId}. The content is not uploaded.`,
    )
  }

  const startedAt = Date.now()
  const headers = headersFor(uploadUrl, contentType, sha256Hash)
  const response = await put(uploadUrl, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> }, maxRetries, baseDelay)
  const report = {
    uploadedAt: new Date().toISOString(),
    uploadHttpStatus: response.status,
    uploadHttpError: await response.text().catch(String),
    uploadTimeMs: Date.now() - startedAt,
  }
  await apiClient.media.patch(mediaId, report, requestOptions)
  if (!isStored(response.status)) {
    throw new Error(`Media ${mediaId} was not stored: the storage responded with status ${response.status} after ${maxRetries} retries.`)
  }
  logger.debug(`Media ${mediaId} is stored.`)
}
