// The context of a request so far. A refusal may happen at any point, and must still use the right format and be counted correctly.
import type { Route } from '@svc-server/modes/route'
import type { ContentEncoding, OtlpFormat } from '@svc-server/otlp/media-type'
import type { Endpoint } from './http/paths.ts'

export interface Trail {
  readonly protocol: 'http' | 'grpc'
  readonly endpoint: Endpoint | undefined
  /** Undefined until the media type is known to be one of ours. */
  format: OtlpFormat | undefined
  compression: ContentEncoding | undefined
  route: Route | undefined
  reason: string | undefined
  /** Its body was asked for: what refuses it from then on is not said by its headers alone. */
  isRead: boolean
  projectId: string | undefined
  /** What its records are called by, once it has any. */
  ingestId: string | undefined
  /** What the response calls what the log has acknowledged: `x-svc-ingest-id`. */
  receipt: string | undefined
  /** Spans of the request; 0 until it is scanned. */
  spans: number
}

export const newTrail = (protocol: Trail['protocol'], endpoint: Endpoint | undefined): Trail => ({
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
