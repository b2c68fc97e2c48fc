// The media store in a bucket. Without a configured bucket, media requests get an error.
import type { BlobStore } from '@svc-server/blob-store'
import type { Logger } from '@svc-server/service/logs'
import { defineStore, type Store } from '@svc-server/service/store'
import { type MediaConfig, mediaProblems, mediaSettings } from './settings.ts'

export interface MediaStore {
  readonly blobs: BlobStore | undefined
  /** Clients use presigned URLs. */
  readonly isDirect: boolean
  readonly prefix: string
  readonly maxContentLength: number
  readonly downloadSeconds: number
}

export const mediaStoreOf = (config: MediaConfig, blobs: BlobStore | undefined): MediaStore => ({
  blobs,
  isDirect: config.upload === 'direct' && blobs?.signed != null,
  prefix: config.prefix ?? '',
  maxContentLength: config.maxContentLength,
  downloadSeconds: config.downloadSeconds,
})

/**
 * If no bucket is configured, returns undefined without loading the S3 client. If the configuration has an endpoint, a missing bucket is
 * created in the background.
 */
export async function openBucket(config: MediaConfig, logger: Pick<Logger, 'warn'>): Promise<(BlobStore & { close(): void }) | undefined> {
  const { bucket, region, endpoint, accessKeyId, secretAccessKey, forcePathStyle } = config
  if (bucket === undefined) return undefined
  const { createS3Blobs } = await import('@svc-server/blob-store/s3')
  const credentials = accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey }
  const blobs = createS3Blobs({ bucket, region, endpoint, credentials, forcePathStyle })
  if (endpoint !== undefined)
    void blobs.ensureBucket().catch((error: unknown) => logger.warn({ err: error, bucket }, 'The media bucket is not usable at the moment'))
  return blobs
}

export const media: Store<MediaStore> = defineStore({
  name: 'The store of media',
  variables: mediaSettings,
  validate: mediaProblems,
  open: async (config, _, { logger }) => {
    const blobs = await openBucket(config, logger)
    return { store: mediaStoreOf(config, blobs), close: async () => blobs?.close() }
  },
})
