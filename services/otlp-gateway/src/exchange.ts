// A request of any protocol.
import type { IncomingMessage } from 'node:http'
import type { Body, BodyLimits, BodyWatch } from '@svc-server/http/bodies'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { RequestContext } from './request-context.ts'

interface Encodings {
  readonly format: OtlpFormat
  /** Compression of the request body. */
  readonly compression: ContentEncoding
}

interface Received extends Body {
  readonly compression: ContentEncoding
}

export interface Exchange {
  readonly request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>
  readonly context: RequestContext
  /** Throws `content_type_unsupported` or `content_encoding_unsupported`. */
  encodings(): Encodings
  /** Size of the body according to the client. */
  readonly declaredBytes: number | undefined
  /** Reads the body; sends 100 Continue first if the client waits for it. Rejects with the errors of `readBody` (libs/http). */
  receive(limits: BodyLimits, watch: BodyWatch): Promise<Received>
  discard(limits: BodyLimits): Promise<number>
  readonly gone: boolean
}
