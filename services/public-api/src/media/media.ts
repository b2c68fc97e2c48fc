// Media for handlers.
import type { BlobStore } from '@svc-server/blob-store'
import { AppError } from '@svc-server/errors'
import type { Media } from '@svc-server/relational/media'
import type { MediaStore } from '@svc-server/stores/media'
import { extensionOf } from './extensions.ts'
import { createMediaUrls, type MediaUrls } from './urls.ts'

/** Lifetime of an upload URL (contract §17.8). */
const uploadSeconds = 3600

interface DownloadUrl {
  readonly url: string
  readonly urlExpiry: string
}

type Place = Pick<Media, 'id' | 'projectId' | 'bucketPath' | 'contentType'>

export interface MediaAccess extends Pick<MediaUrls, 'check'> {
  readonly maxContentLength: number
  /** Throws `media_unconfigured` if the installation has no media store. */
  blobs(): BlobStore
  keyOf(projectId: string, mediaId: string, contentType: string): string
  /** `origin` is the scheme, host and path prefix with which the client reached this server. */
  uploadUrl(media: Place & Pick<Media, 'sha256Hash' | 'contentLength'>, origin: string): Promise<string>
  downloadUrl(media: Place, origin: string): Promise<DownloadUrl>
}

export function createMediaAccess(store: MediaStore, signingKey: string, clock: () => number): MediaAccess {
  const { isDirect, prefix, downloadSeconds, maxContentLength } = store
  const { urlOf, check } = createMediaUrls(signingKey)

  function blobs(): BlobStore {
    if (store.blobs !== undefined) return store.blobs
    throw new AppError('media_unconfigured', 'This installation has no media store.')
  }
  const expiryAfter = (seconds: number) => Math.floor(clock() / 1000) + seconds

  return {
    maxContentLength,
    blobs,
    check,
    keyOf: (projectId, mediaId, contentType) => `${prefix}${projectId}/${mediaId}.${extensionOf(contentType)}`,
    async uploadUrl({ id: mediaId, projectId, ...media }, origin) {
      const { signed } = blobs()
      if (isDirect && signed !== null) return signed.put(media.bucketPath, media, uploadSeconds)
      return urlOf(origin, { action: 'upload', projectId, mediaId, expires: expiryAfter(uploadSeconds) })
    },
    async downloadUrl({ id: mediaId, projectId, ...media }, origin) {
      const { signed } = blobs()
      const expires = expiryAfter(downloadSeconds)
      const urlExpiry = new Date(expires * 1000).toISOString()
      if (isDirect && signed !== null) return { url: await signed.get(media.bucketPath, media, downloadSeconds), urlExpiry }
      return { url: urlOf(origin, { action: 'download', projectId, mediaId, expires }), urlExpiry }
    },
  }
}
