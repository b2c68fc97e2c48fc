// Creates and checks signed URLs of this server for the bytes of media. Each URL permits one kind of operation (upload or download) on one
// media file, any number of times until the URL expires.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '@svc-server/errors'

type Action = 'upload' | 'download'

interface Granted {
  readonly action: Action
  readonly projectId: string
  readonly mediaId: string
  /** Seconds since the epoch. */
  readonly expires: number
}

export interface MediaUrls {
  /** `origin` is the scheme, host and path prefix with which the client reached this server. */
  urlOf(origin: string, granted: Granted): string
  /** Throws `signature_invalid` for a URL that was not signed here or has expired. */
  check(granted: Granted, signature: string, nowMs: number): void
}

export function createMediaUrls(key: string): MediaUrls {
  const signatureOf = ({ action, projectId, mediaId, expires }: Granted) =>
    createHmac('sha256', key)
      .update(JSON.stringify([action, projectId, mediaId, expires]))
      .digest('base64url')
  return {
    urlOf(origin, granted) {
      const { projectId, mediaId, expires } = granted
      const query = new URLSearchParams({ project: projectId, expires: String(expires), signature: signatureOf(granted) })
      return `${origin}/api/public/media/${encodeURIComponent(mediaId)}/content?${query}`
    },
    check(granted, signature, nowMs) {
      const [given, wanted] = [Buffer.from(signature), Buffer.from(signatureOf(granted))]
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
        throw new AppError('signature_invalid', 'The signature of the URL is not valid.')
      if (nowMs >= granted.expires * 1000)
        throw new AppError('signature_invalid', `The URL expired at ${new Date(granted.expires * 1000).toISOString()}.`)
    },
  }
}
