// Writes an error in the form of the operation's error family (contract §16.4).
import type { OutgoingHttpHeaders } from 'node:http'
import type { ErrorFamily } from '@svc-server/api/operation'
import { type AppError, isAppError, retryAfterSeconds } from '@svc-server/errors'
import type { Answer } from '@svc-server/http/bodies'
import { InvalidQuery } from '@svc-server/query/observations'
import { InvalidBody } from '../validation/invalid-body.ts'
import { type Issue, sentenceOf } from '../validation/refusals.ts'
import { ByteStream, JsonText, type Reply } from './handler.ts'

export const json = (status: number, body: object, headers?: OutgoingHttpHeaders): Answer => jsonText(status, JSON.stringify(body), headers)

/** `body`: JSON text. */
const jsonText = (status: number, body: string | Uint8Array, headers: OutgoingHttpHeaders = {}): Answer => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(isBusy(status) && { 'retry-after': '1' }),
    ...headers,
  },
  body,
})

export interface ByteAnswer extends Pick<Answer, 'status' | 'headers'> {
  readonly content: ByteStream['content']
}

/** Responses with these statuses have Retry-After in every error family. */
const isBusy = (status: number): boolean => status === 429 || status === 503

export function replyAnswer({ status, body, headers }: Reply): Answer | ByteAnswer {
  if (body instanceof ByteStream) return { status, headers: { 'content-length': body.contentLength, ...headers }, content: body.content }
  // SDKs expect an empty body for 204.
  if (body === undefined || status === 204) return { status, headers: { 'cache-control': 'no-store', ...headers }, body: '' }
  return jsonText(status, body instanceof JsonText ? body.text : JSON.stringify(body), headers)
}

export const tagsOf = <Header extends string | undefined>(header: Header) =>
  header?.split(',').map(tag => tag.trim().replace(/^W\//, '')) as Header extends string ? readonly string[] : readonly string[] | undefined

/** Omits the body if If-None-Match shows that the client already has it. */
export function unlessKnown(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const { etag } = answer.headers as Readonly<Record<string, unknown>>
  if (answer.status !== 200 || typeof etag !== 'string' || ifNoneMatch === undefined) return answer
  const known = tagsOf(ifNoneMatch)
  if (!known.includes(etag) && !known.includes('*')) return answer
  const { 'content-type': _, ...headers } = answer.headers as Readonly<Record<string, string>>
  return { status: 304, headers, body: '' }
}

/** Names of errors that clients know, by status. An error with any other status has the name ApiError. */
const names: Readonly<Record<number, string>> = {
  400: 'InvalidRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'SvcNotFoundError',
  405: 'MethodNotAllowedError',
  408: 'RequestTimeoutError',
  409: 'SvcConflictError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  422: 'PayloadTooLargeError',
  503: 'ServiceUnavailableError',
}

type Refusal = AppError | InvalidBody | InvalidQuery

interface Said {
  readonly status: number
  readonly message: string
  /** Name of the error. Of the `forms` below, only `default`, `named` and `batch` contain the name. */
  readonly name?: string | undefined
  readonly issues?: readonly Issue[]
  /** Where the invalid values are. */
  readonly of?: 'body' | 'query'
  /** A description of valid values. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: OutgoingHttpHeaders
}

/** The form of errors for each family (contract §16.4, contract §19.1). */
const forms: Readonly<Record<ErrorFamily, (said: Said) => object>> = {
  default: ({ message, name, issues }) => ({ message, error: issues ?? name }),
  named: said => forms.default(said),
  // Clients of the batch route read `errors`, a list of texts.
  batch: said => ({ ...forms.default(said), ...(said.issues !== undefined && { errors: [sentenceOf(said.issues)] }) }),
  message: ({ message, issues }) => ({ message, ...(issues !== undefined && { details: issues }) }),
  error: ({ message, issues }) => ({ error: message, ...(issues !== undefined && { details: issues }) }),
  structured: ({ status, message, issues, of, details }) => ({
    message: of === undefined ? message : of === 'body' ? 'Invalid request body' : 'Invalid query parameters',
    code:
      of === undefined || details !== undefined
        ? (codes[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'))
        : `invalid_${of}`,
    ...(issues !== undefined && { details: { issues, ...details } }),
  }),
  scim: ({ status, message, issues }) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    detail: issues === undefined ? message : `${message}: ${sentenceOf(issues)}`,
    status,
  }),
}

const codes: Readonly<Record<number, string>> = {
  401: 'authentication_failed',
  403: 'access_denied',
  404: 'resource_not_found',
  405: 'method_not_allowed',
  409: 'conflict',
}

export function errorAnswer(error: Refusal, family: ErrorFamily = 'default'): Answer {
  const said = saidOf(error)
  const { status, message, headers = {} } = said
  if (status === 429) {
    const retryAfterSeconds = Number(headers['retry-after'] ?? 1)
    if (isAppError(error) && error.code === 'rate_limited') return rateLimited(error, retryAfterSeconds, headers)
    return json(429, { message: 'Rate limit exceeded', code: 'rate_limited', details: { retryAfterSeconds, reason: message } }, headers)
  }
  const bare = (status === 401 || status === 403) && (family === 'default' || family === 'batch')
  // In every family, a 405 response also has the fields of the common form (contract §16.2).
  const also = status === 405 ? forms.default(said) : {}
  const body = bare ? { message } : { ...forms[family](said), ...also }
  return json(status, body, family === 'scim' ? { ...headers, 'content-type': 'application/scim+json; charset=utf-8' } : headers)
}

function rateLimited({ message, params }: AppError, retryAfterSeconds: number, headers: OutgoingHttpHeaders): Answer {
  const { limit, remaining, resetAt } = params
  return json(
    429,
    { message: message.replace(/\.$/, ''), code: 'rate_limited', details: { retryAfterSeconds, limit, remaining, resetAt } },
    {
      ...headers,
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': new Date(String(resetAt)).toUTCString(),
    },
  )
}

function saidOf(error: Refusal): Said {
  if (error instanceof InvalidQuery) {
    const { kind, message, issues } = error
    if (kind === 'request') return { status: 400, message, name: names[400] }
    return { status: 400, message: 'Invalid request data', issues: issues.map(issue => ({ code: 'custom', ...issue })) }
  }
  if (error instanceof InvalidBody)
    return { status: 400, message: error.message, issues: error.issues, of: error.of, details: error.details }
  const { code, params, definition } = error
  if (code === 'column_store_overloaded') {
    const message = 'The query needs too much time or memory: use a shorter time range, or more filters.'
    return { status: 422, message, name: 'Request timed out' }
  }
  const { http: status, help } = definition
  if (code === 'media_unconfigured') return { status, message: `${error.message} ${help}`, name: 'InternalServerError' }
  // The error's own message is left out, because it can contain internals of the blob store.
  if (code === 'blob_store_unavailable') return { status, message: help, name: names[status], headers: retryAfter(error) }
  if (status === 500) return { status, message: 'Internal Server Error', name: 'An unknown error occurred' }
  const headers = { ...retryAfter(error), ...challenge(status), ...(typeof params['allow'] === 'string' && { allow: params['allow'] }) }
  if (status === 405) return { status, message: 'Method not allowed', name: names[405], headers }
  const name = names[status] ?? 'ApiError'
  // The error's own message is left out, because it can contain internal names of tables and servers.
  if (code === 'column_store_unavailable')
    return { status, message: 'The column store did not respond. Send the same request again.', name, headers }
  if (status === 415) return { status, message: `${error.message} Send application/json, uncompressed.`, name, headers }
  // With the header WWW-Authenticate, a browser would show its own password prompt.
  if (code === 'session_missing' || code === 'sign_in_refused' || code === 'link_refused') delete headers['www-authenticate']
  // The schema cannot check this parameter, so a later check refused it. The response has the same form as if the schema had refused it.
  const { parameter } = params
  if (typeof parameter === 'string')
    return { status, message: 'Invalid request data', issues: [{ code: 'custom', message: error.message, path: [parameter] }], of: 'query' }
  const isWhole = status === 404 || status === 409
  return { status, message: isWhole ? error.message : `${error.message} ${help}`, name, headers }
}

function retryAfter(error: AppError): OutgoingHttpHeaders {
  const seconds = retryAfterSeconds(error)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

const challenge = (status: number): OutgoingHttpHeaders => (status === 401 ? { 'www-authenticate': 'Basic realm="svc"' } : {})

/**
 * True if the request or a temporary condition caused the error. False if the column store rejected a query, because such a query is a
 * defect of the server.
 */
export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof InvalidBody ||
  error instanceof InvalidQuery ||
  (isAppError(error) && (error.definition.http !== 500 || error.code === 'media_unconfigured') && error.code !== 'column_store_query')

/** The browser client sends scores from pages of any origin. This is safe, because cookies never authenticate these requests. */
export const withCors = <A extends Answer | ByteAnswer>(answer: A, origin: string | undefined): A => ({
  ...answer,
  headers: {
    ...answer.headers,
    'access-control-allow-origin': origin ?? '*',
    'access-control-expose-headers':
      'retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-svc-complete-until, x-svc-ingest-id, x-svc-waited-for',
    vary: 'origin, access-control-request-headers',
  },
})

/** Pages of other origins cannot read the response, and no cache stores it. */
export const withoutCors = <A extends Answer | ByteAnswer>(answer: A): A => ({
  ...answer,
  headers: { ...answer.headers, 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff' },
})

export const preflightAnswer = (methods: readonly string[], askedHeaders: string | undefined): Answer => ({
  status: 204,
  headers: {
    allow: methods.join(', '),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': askedHeaders ?? 'authorization, content-type',
    'access-control-max-age': '86400',
  },
  body: '',
})
