// What the gateway knows about a request so far. It may refuse the request at any step, and then needs the right format and the right
// labels of the metrics.
import type { Route } from '@svc-server/modes/route'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { Endpoint } from './http/paths.ts'

export interface RequestContext {
  readonly protocol: 'http' | 'grpc'
  readonly endpoint: Endpoint | undefined
  /** Undefined until the gateway knows that it supports the media type. */
  format: OtlpFormat | undefined
  compression: ContentEncoding | undefined
  route: Route | undefined
  reason: string | undefined
  /** True once the gateway has requested the body: a later refusal depends on more than the headers. */
  isRead: boolean
  projectId: string | undefined
  /** Ingest id in the request's records; undefined before the gateway creates records. */
  ingestId: string | undefined
  /** Id of the acknowledged records in the response header `x-svc-ingest-id`. */
  receipt: string | undefined
  /** Spans of the request; 0 until the gateway scans it. */
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
  ingestId: undefined,
  receipt: undefined,
  spans: 0,
})
