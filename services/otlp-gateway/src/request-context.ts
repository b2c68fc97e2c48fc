// What the gateway knows about a request so far. The gateway can refuse a request at any step, so some of these facts can be unknown.
import type { Route } from '@svc-server/modes/route'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { Endpoint } from './http/paths.ts'

export interface RequestContext {
  readonly protocol: 'http' | 'grpc'
  readonly endpoint: Endpoint | undefined
  format: OtlpFormat | undefined
  compression: ContentEncoding | undefined
  route: Route | undefined
  reason: string | undefined
  /** True after the gateway has begun to read the body. */
  isRead: boolean
  projectId: string | undefined
  publicKey: string | undefined
  /** Id that all accepted spans of the request share. Undefined until the gateway creates the records. */
  ingestId: string | undefined
  /** The header `x-svc-ingest-id`: position of the acknowledged records. */
  receipt: string | undefined
  /** Number of spans in the request; 0 until the body is scanned. */
  spans: number
}

export const newRequestContext = (protocol: RequestContext['protocol'], endpoint: Endpoint | undefined): RequestContext => ({
  protocol,
  endpoint,
  format: undefined,
  compression: undefined,
  route: undefined,
  reason: undefined,
  isRead: false,
  projectId: undefined,
  publicKey: undefined,
  ingestId: undefined,
  receipt: undefined,
  spans: 0,
})
