// Responses of OTLP 1.11, in the format of the request. The body of an error is a google.rpc.Status. Retry-After is set if a retry helps.
import type { OutgoingHttpHeaders } from 'node:http'
import { type AppError, grpcCodes, retryAfterSeconds } from '@svc-server/errors'
import type { Answer } from '@svc-server/http/bodies'
import { encodeStatus, encodeTraceResponse, type PartialSuccess } from '@svc-server/otlp/answer'
import { mediaTypeOf, type OtlpFormat } from '@svc-server/otlp/media-type'

/** Web pages of any origin can read every response, including errors. */
const corsHeaders: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-svc-route, x-svc-ingest-id',
}

/** `partial` is present only if spans were rejected. */
export const successAnswer = (format: OtlpFormat, partial?: PartialSuccess): Answer => ({
  status: 200,
  headers: { ...corsHeaders, 'content-type': mediaTypeOf(format) },
  body: encodeTraceResponse(format, partial),
})

export function errorAnswer(error: AppError, format: OtlpFormat): Answer {
  const { http, grpc, help } = error.definition
  const seconds = retryAfterSeconds(error)
  return {
    status: http,
    headers: {
      ...corsHeaders,
      'content-type': mediaTypeOf(format),
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
      ...challenge(http),
      ...allow(error),
    },
    body: encodeStatus(format, grpcCodes[grpc], `${error.message} ${help}`, seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
  }
}

/** RFC 9110 §11.6.1. */
const challenge = (status: number): OutgoingHttpHeaders => (status === 401 ? { 'www-authenticate': 'Basic realm="svc"' } : {})

/** RFC 9110 §15.5.6. */
const allow = ({ params }: AppError): OutgoingHttpHeaders => (typeof params['allow'] === 'string' ? { allow: params['allow'] } : {})

export const preflightAnswer = (methods: readonly string[], askedHeaders: string | undefined): Answer => ({
  status: 204,
  headers: {
    ...corsHeaders,
    allow: methods.join(', '),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': askedHeaders ?? 'authorization, content-type, content-encoding',
    'access-control-max-age': '86400',
    vary: 'access-control-request-headers',
  },
  body: '',
})

export const jsonAnswer = (status: number, body: object): Answer => ({
  status,
  headers: { ...corsHeaders, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
