// A request in a form that does not depend on its protocol.
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
  /** The request with its caller and headers, without the body. */
  readonly request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>
  readonly context: RequestContext
  /**
   * Reads format and compression from the headers, and stores them in the request context. Throws `content_type_unsupported` or
   * `content_encoding_unsupported`.
   */
  encodings(): Encodings
  /**
   * Size of the body that the client declared. The declared size is known before the gateway reads a byte, and undefined if the client
   * declared no size.
   */
  readonly declaredBytes: number | undefined
  /**
   * Reads the body. If the client waits for 100 Continue before it sends the body, this function sends the status 100 first. Rejects with
   * the same errors as `readBody` of libs/service.
   */
  receive(limits: BodyLimits, watch: BodyWatch): Promise<Received>
  /** Reads the body to its end and discards the bytes. */
  discard(limits: BodyLimits): Promise<number>
  /** True once the client has disconnected. */
  readonly gone: boolean
}
