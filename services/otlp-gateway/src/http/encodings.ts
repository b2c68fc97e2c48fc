// Media type and content encoding of a request, noted on the trail as soon as they are known: a later refusal answers and counts by them.
import type { IncomingHttpHeaders } from 'node:http'
import { isAppError } from '@svc-server/errors'
import { type ContentEncoding, type OtlpFormat, parseContentEncoding, parseMediaType } from '@svc-server/otlp/media-type'
import type { Trail } from '../trail.ts'

export interface Encodings {
  readonly format: OtlpFormat
  readonly compression: ContentEncoding
}

/** Throws `content_type_unsupported` or `content_encoding_unsupported`. */
export function encodingsOf(headers: IncomingHttpHeaders, trail: Trail): Encodings {
  const format = parseMediaType(headers['content-type'])
  trail.format = format
  const compression = parseContentEncoding(headers['content-encoding'])
  trail.compression = compression
  return { format, compression }
}

/** The format for an answer that is given before the media type was checked, or because it is none of ours: then JSON, which people can read. */
export function claimedFormat({ 'content-type': contentType }: IncomingHttpHeaders): OtlpFormat {
  try {
    return parseMediaType(contentType)
  } catch (error) {
    if (!isAppError(error)) throw error
    return 'json'
  }
}
