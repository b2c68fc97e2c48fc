import type { IncomingHttpHeaders } from 'node:http'
import { isAppError } from '@svc-server/errors'
import { type OtlpFormat, parseMediaType } from '@svc-server/otlp/media-type'

/** Returns the format of the request. If svc does not support this format, returns JSON, because people can read it. */
export function claimedFormat({ 'content-type': contentType }: IncomingHttpHeaders): OtlpFormat {
  try {
    return parseMediaType(contentType)
  } catch (error) {
    if (!isAppError(error)) throw error
    return 'json'
  }
}
