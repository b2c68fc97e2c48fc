// Parses the format and compression of a body from its headers.
import { AppError } from '@svc-server/errors'

export type OtlpFormat = 'protobuf' | 'json'

export type ContentEncoding = 'identity' | 'gzip' | 'zstd' | 'deflate'

const formats: ReadonlyMap<string, OtlpFormat> = new Map([
  ['application/x-protobuf', 'protobuf'],
  ['application/json', 'json'],
])

/** Returns the response's Content-Type, which equals the request's (OTLP 1.11, "OTLP/HTTP Response"). */
export const mediaTypeOf = (format: OtlpFormat): string => (format === 'json' ? 'application/json' : 'application/x-protobuf')

/** Parameters such as charset are ignored. @throws AppError content_type_unsupported, also if the header is absent. */
export const parseMediaType = (header: string | undefined): OtlpFormat => {
  const format = formats.get((header ?? '').split(';', 1)[0]!.trim().toLowerCase())
  if (format) return format
  const given = header === undefined ? 'There is no Content-Type' : `The Content-Type ${shown(header)} is not supported`
  throw new AppError('content_type_unsupported', `${given}.`, { value: header })
}

const encodings: ReadonlyMap<string, ContentEncoding> = new Map([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
  ['deflate', 'deflate'],
])

/**
 * The header can be a list. An entry `identity` in the list has no effect. A body that was compressed twice is rejected for two reasons. No
 * client sends such a body. And decompression could multiply the size of such a body by the square of the usual factor.
 * @throws AppError content_encoding_unsupported.
 */
export const parseContentEncoding = (header: string | undefined): ContentEncoding => {
  let found: ContentEncoding = 'identity'
  for (const token of (header ?? '').split(',')) {
    const encoding = encodings.get(token.trim().toLowerCase())
    if (encoding === 'identity') continue
    if (encoding === undefined || found !== 'identity')
      throw new AppError('content_encoding_unsupported', `The Content-Encoding ${shown(header ?? '')} is not supported.`, { value: header })
    found = encoding
  }
  return found
}

const shown = (header: string): string => JSON.stringify(header.length > 100 ? `${header.slice(0, 100)}…` : header)
