// What the gateway knows about a request; the gateway learns more while it processes the request. A refused request needs its context for
// the format of the response and the labels of the metrics. The gateway can refuse a request at any step.
import type { Route } from '@svc-server/modes/route'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { Endpoint } from './http/paths.ts'

export interface RequestContext {
  readonly protocol: 'http' | 'grpc'
  readonly endpoint: Endpoint | undefined
  /** Undefined until the gateway has checked that it supports the media type. */
  format: OtlpFormat | undefined
  compression: ContentEncoding | undefined
  route: Route | undefined
  reason: string | undefined
  /** True once the gateway has requested the body. If true, a later refusal can depend on the body. */
  isRead: boolean
  projectId: string | undefined
  /** Public key of the authenticated caller. */
  publicKey: string | undefined
  /** The ingest id in the request's records; undefined until the records are created. */
  ingestId: string | undefined
  /** Position of the acknowledged records, for the response header `x-svc-ingest-id`. */
  receipt: string | undefined
  /** Spans of the request; 0 until the gateway scans the body. */
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
