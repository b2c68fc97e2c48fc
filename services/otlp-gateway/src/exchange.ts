// A request, independent of its protocol.
import type { IncomingMessage } from 'node:http'
import type { Body, BodyLimits, BodyWatch } from '@svc-server/http/bodies'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { Trail } from './trail.ts'

interface Encodings {
  readonly format: OtlpFormat
  /** What the body may be compressed with. */
  readonly compression: ContentEncoding
}

interface Received extends Body {
  readonly compression: ContentEncoding
}

export interface Exchange {
  /** The caller and its headers; no byte of the body. */
  readonly request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>
  readonly trail: Trail
  /** Noted on the trail as soon as they are known. Throws `content_type_unsupported` or `content_encoding_unsupported`. */
  encodings(): Encodings
  /** Before a byte of it is read; undefined where nobody has said. */
  readonly declaredBytes: number | undefined
  /** The body; a client that waits to be asked for it is asked. Rejects as `readBody` of libs/service. */
  receive(limits: BodyLimits, watch: BodyWatch): Promise<Received>
  /** Reads the body to its end and keeps nothing. */
  discard(limits: BodyLimits): Promise<number>
  /** Nobody waits for an answer any more. */
  readonly gone: boolean
}
