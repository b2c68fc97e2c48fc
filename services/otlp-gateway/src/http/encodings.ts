// Chooses the format of an error response if the gateway refuses the request before it checks the media type.
import type { IncomingHttpHeaders } from 'node:http'
import { isAppError } from '@svc-server/errors'
import { type OtlpFormat, parseMediaType } from '@svc-server/otlp/media-type'

/** Returns readable JSON if svc does not support the request's format. */
export function claimedFormat({ 'content-type': contentType }: IncomingHttpHeaders): OtlpFormat {
  try {
    return parseMediaType(contentType)
  } catch (error) {
    if (!isAppError(error)) throw error
    return 'json'
  }
}
