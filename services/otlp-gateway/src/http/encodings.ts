// The format of a response that is sent before the media type was checked.
import type { IncomingHttpHeaders } from 'node:http'
import { isAppError } from '@svc-server/errors'
import { type OtlpFormat, parseMediaType } from '@svc-server/otlp/media-type'

/** Falls back to readable JSON when the request has a format that svc does not support. */
export function claimedFormat({ 'content-type': contentType }: IncomingHttpHeaders): OtlpFormat {
  try {
    return parseMediaType(contentType)
  } catch (error) {
    if (!isAppError(error)) throw error
    return 'json'
  }
}
