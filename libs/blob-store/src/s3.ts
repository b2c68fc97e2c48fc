import type { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { AppError } from '@svc-server/errors'
import { requireKey } from './keys.ts'
import type { BlobFacts, BlobStore } from './port.ts'
import { verified } from './verified.ts'

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** URL of the store. By default, it is the AWS endpoint of the region. */
  readonly endpoint?: string | undefined
  /** By default, the client uses the credentials of the environment, of a profile, or of the machine's role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  readonly forcePathStyle: boolean
}

const connectTimeoutMs = 5_000
const requestTimeoutMs = 60_000
/** Maximum number of keys in one request to the store. */
const keysAtOnce = 1_000
const checksumHeader = 'x-amz-checksum-sha256'

const statusOf = (error: unknown) => (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode

/** True if the object is missing. A missing bucket also causes a 404, but is a mistake in the installation. */
const isMissing = (error: unknown) => statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket'

function unavailable(bucket: string, error: unknown): AppError {
  const { name, message } = error as Error
  return new AppError('blob_store_unavailable', `Bucket ${bucket} cannot be used: ${name} (${message}).`, { bucket }, { cause: error })
}

export interface S3Blobs extends BlobStore {
  /** Creates a missing bucket. Throws `blob_store_unavailable`. */
  ensureBucket(): Promise<void>
  close(): void
}

export function createS3Blobs({ bucket: Bucket, region, endpoint, credentials, forcePathStyle }: S3Options): S3Blobs {
  const silent = () => {}
  const config: S3ClientConfig = {
    // The client's log lines are dropped, because its errors contain the same information.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
    region,
    forcePathStyle,
    // Not all S3-compatible stores support newer checksums. The client therefore adds a checksum only if the operation requires one. For an
    // upload, `put` passes the checksum as `ChecksumSHA256`.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectTimeoutMs, requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  }
  const client = new S3Client(config)

  const put = (key: string, { contentType, contentLength, sha256Hash }: BlobFacts, Body?: Readable) =>
    new PutObjectCommand({
      ...{ Bucket, Key: requireKey(key), ContentType: contentType, ContentLength: contentLength, ChecksumSHA256: sha256Hash },
      ...(Body !== undefined && { Body }),
    })

  return {
    name: Bucket,
    async put(key, facts, content) {
      const checked = verified(facts)
      // If reading the content fails, this signal aborts the request. The store would otherwise wait for more bytes.
      const breaking = new AbortController()
      let failure: unknown
      content.once('error', error => checked.destroy(error))
      checked.once('error', error => {
        failure = error
        breaking.abort()
      })
      content.pipe(checked)
      try {
        await client.send(put(key, facts, checked), { abortSignal: breaking.signal })
      } catch (error) {
        // If reading the content failed, the caller gets the error of the read. The store's error is only a consequence of this error.
        if (failure !== undefined) throw failure
        if (['BadDigest', 'InvalidDigest', 'XAmzContentChecksumMismatch'].includes((error as Error).name))
          throw new AppError(
            'bad_request',
            'The store refused the upload, because the uploaded bytes are not the announced bytes. Nothing was stored.',
            {},
            { cause: error },
          )
        throw unavailable(Bucket, error)
      } finally {
        content.unpipe(checked)
        checked.destroy()
      }
    },
    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key: requireKey(key) }))
        return { contentLength: ContentLength!, content: Body as Readable }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw unavailable(Bucket, error)
      }
    },
    async facts(key) {
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: requireKey(key), ChecksumMode: 'ENABLED' }))
        return { contentLength: found.ContentLength!, ...(found.ChecksumSHA256 !== undefined && { sha256Hash: found.ChecksumSHA256 }) }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw unavailable(Bucket, error)
      }
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += keysAtOnce) {
        const Objects = keys.slice(at, at + keysAtOnce).map(key => ({ Key: requireKey(key) }))
        try {
          const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
          const [first] = Errors
          if (first !== undefined) throw Object.assign(new Error(first.Message ?? 'no message'), { name: first.Code ?? 'Error' })
        } catch (error) {
          throw unavailable(Bucket, error)
        }
      }
    },
    signed: {
      // The signature covers the checksum header, so the store rejects bytes with a different checksum.
      put: (key, facts, expiresIn) =>
        getSignedUrl(client, put(key, facts), {
          expiresIn,
          signableHeaders: new Set(['content-type', 'content-length', checksumHeader]),
          unhoistableHeaders: new Set([checksumHeader]),
        }),
      get: (key, { contentType }, expiresIn) =>
        getSignedUrl(client, new GetObjectCommand({ Bucket, Key: requireKey(key), ResponseContentType: contentType }), { expiresIn }),
    },
    async ensureBucket() {
      try {
        await client.send(new HeadBucketCommand({ Bucket }))
      } catch (error) {
        if (statusOf(error) !== 404) throw unavailable(Bucket, error)
        await client.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
          throw unavailable(Bucket, error)
        })
      }
    },
    close: () => client.destroy(),
  }
}
