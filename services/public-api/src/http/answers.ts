// Answers as clients of the public API know them (public-api.md §0.4): the family of each error, in one
// place.
import type { OutgoingHttpHeaders } from 'node:http'
import { type AppError, isAppError, retryAfterSeconds } from '@svc-server/errors'
import type { Answer } from '@svc-server/service/bodies'
import { InvalidBody } from '../events/invalid-body.ts'

export const json = (status: number, body: object, headers?: OutgoingHttpHeaders): Answer => jsonText(status, JSON.stringify(body), headers)

/** `body` is JSON already. */
export const jsonText = (status: number, body: string, headers: OutgoingHttpHeaders = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body,
})

/** Names that clients know; what has none here is an ApiError. */
const names: Readonly<Record<number, string>> = {
  400: 'InvalidRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'SvcNotFoundError',
  405: 'MethodNotAllowedError',
  408: 'RequestTimeoutError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  422: 'PayloadTooLargeError',
  503: 'ServiceUnavailableError',
}

/** Families of routes whose errors have a form of their own (public-api-org.md §3.1): no `error`, and issues in `details`. */
export type ErrorFamily = 'default' | 'projects'

/** The answer to an error of the catalogue, or to a body or query that its schema does not take. */
export function errorAnswer(error: AppError | InvalidBody, family: ErrorFamily = 'default'): Answer {
  const answer = (status: number, message: string, name: unknown, headers?: OutgoingHttpHeaders) =>
    json(status, family === 'projects' ? { message } : { message, error: name }, headers)
  if (error instanceof InvalidBody) {
    const { message, issues } = error
    return family === 'projects' ? json(400, { message, details: issues }) : answer(400, message, issues)
  }
  const { code, params, definition } = error
  if (code === 'column_store_overloaded') {
    const advice = 'The query took too long or too much memory: ask for a shorter time range, or with more filters.'
    return answer(422, advice, 'Request timed out')
  }
  const { http: status, help } = definition
  if (status === 500) return answer(500, 'Internal Server Error', 'An unknown error occurred')
  const headers = { ...retryAfter(error), ...challenge(status), ...(typeof params['allow'] === 'string' && { allow: params['allow'] }) }
  if (status === 405) return answer(405, 'Method not allowed', names[405], headers)
  // What the column store said names tables and servers, which are nobody's business.
  const said =
    code === 'column_store_unavailable' ? 'The column store did not answer; send the same request again.' : `${error.message} ${help}`
  const message = status === 415 ? `${error.message} Send application/json, uncompressed.` : status === 404 ? error.message : said
  if (status === 401 || status === 403) return json(status, { message }, headers)
  if (status === 429) {
    const retryAfterSeconds = Number(headers['retry-after'] ?? 1)
    return json(429, { message: 'Rate limit exceeded', code: 'rate_limited', details: { retryAfterSeconds, reason: message } }, headers)
  }
  return answer(status, message, names[status] ?? 'ApiError', headers)
}

function retryAfter(error: AppError): OutgoingHttpHeaders {
  const seconds = retryAfterSeconds(error)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

const challenge = (status: number): OutgoingHttpHeaders => (status === 401 ? { 'www-authenticate': 'Basic realm="svc"' } : {})

/**
 * What the request, or the moment, is to blame for. A query that the column store does not take is ours,
 * whatever its class elsewhere.
 */
export const isRefusal = (error: unknown): error is AppError | InvalidBody =>
  error instanceof InvalidBody || (isAppError(error) && error.definition.http !== 500 && error.code !== 'column_store_query')

/**
 * Every answer may be read by a page of another origin: the browser client sends scores from there.
 * Credentials in cookies are never meant.
 */
export const withCors = (answer: Answer, origin: string | undefined): Answer => ({
  ...answer,
  headers: {
    ...answer.headers,
    'access-control-allow-origin': origin ?? '*',
    'access-control-expose-headers': 'retry-after, x-svc-complete-until',
    vary: 'origin, access-control-request-headers',
  },
})

/** 204 to OPTIONS. */
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
