// The format of a response that is sent before the media type was checked.
import type { IncomingHttpHeaders } from 'node:http'
import { isAppError } from '@svc-server/errors'
import { type OtlpFormat, parseMediaType } from '@svc-server/otlp/media-type'

/** JSON, which people can read, where the request's is none of ours. */
export function claimedFormat({ 'content-type': contentType }: IncomingHttpHeaders): OtlpFormat {
  try {
    return parseMediaType(contentType)
  } catch (error) {
    if (!isAppError(error)) throw error
    return 'json'
  }
}
