// Errors of API calls. Each documented status of an operation has an error class, which extends SvcAPIError. For other statuses, the
// error is a SvcAPIError itself.

/** The response of the server, without its body. Errors and results contain it as `rawResponse`. */
export interface RawResponse {
  readonly headers: Headers
  readonly redirected: boolean
  readonly status: number
  readonly statusText: string
  readonly type: string
  readonly url: string
}

function messageOf(message: string | undefined, statusCode: number | undefined, body: unknown): string {
  const lines: string[] = []
  if (message) lines.push(message)
  if (statusCode !== undefined) lines.push(`Status code: ${statusCode}`)
  if (body !== undefined) {
    try {
      lines.push(`Body: ${JSON.stringify(body, undefined, 2)}`)
    } catch {
      lines.push('Body: it cannot be written as JSON')
    }
  }
  return lines.join('\n')
}

export class SvcAPIError extends Error {
  readonly statusCode: number | undefined
  readonly body: unknown
  readonly rawResponse: RawResponse | undefined

  constructor(from: {
    message?: string | undefined
    statusCode?: number | undefined
    body?: unknown
    rawResponse?: RawResponse | undefined
    cause?: unknown
  }) {
    super(messageOf(from.message, from.statusCode, from.body), from.cause === undefined ? undefined : { cause: from.cause })
    this.name = 'SvcAPIError'
    this.statusCode = from.statusCode
    this.body = from.body
    this.rawResponse = from.rawResponse
  }
}

/** A call that exceeded its time limit. The client does not know whether the server has processed the call. */
export class SvcAPITimeoutError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SvcAPITimeoutError'
  }
}

/** Constructor of the error class for one status. */
export type ApiErrorClass = new (body: unknown, rawResponse?: RawResponse) => SvcAPIError

/** Base class of the error classes for one status. Each subclass passes its status and the `name` of its errors. */
class StatusError extends SvcAPIError {
  constructor(name: string, statusCode: number, body: unknown, rawResponse: RawResponse | undefined) {
    super({ message: name, statusCode, body, rawResponse })
    this.name = name
  }
}

/** Status 400. The package also exports this class as `Error`. */
export class InvalidRequestError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('Error', 400, body, rawResponse)
  }
}

export class UnauthorizedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('UnauthorizedError', 401, body, rawResponse)
  }
}

export class AccessDeniedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('AccessDeniedError', 403, body, rawResponse)
  }
}

export class NotFoundError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('NotFoundError', 404, body, rawResponse)
  }
}

export class MethodNotAllowedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('MethodNotAllowedError', 405, body, rawResponse)
  }
}

/** Only the health check throws this error. */
export class ServiceUnavailableError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('ServiceUnavailableError', 503, body, rawResponse)
  }
}

/** Only feedback operations throw this error. */
export class FeedbackNotConfiguredError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('FeedbackNotConfiguredError', 409, body, rawResponse)
  }
}

// Only operations on evaluators and evaluation rules throw this error.
export class BadRequestError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('BadRequestError', 400, body, rawResponse)
  }
}

export class EvaluationUnauthorizedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('EvaluationUnauthorizedError', 401, body, rawResponse)
  }
}

export class EvaluationAccessDeniedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('EvaluationAccessDeniedError', 403, body, rawResponse)
  }
}

export class EvaluationNotFoundError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('EvaluationNotFoundError', 404, body, rawResponse)
  }
}

export class EvaluationMethodNotAllowedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('EvaluationMethodNotAllowedError', 405, body, rawResponse)
  }
}

export class ConflictError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('ConflictError', 409, body, rawResponse)
  }
}

export class PreconditionFailedError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('PreconditionFailedError', 412, body, rawResponse)
  }
}

export class TooManyRequestsError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('TooManyRequestsError', 429, body, rawResponse)
  }
}

export class InternalServerError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('InternalServerError', 500, body, rawResponse)
  }
}

/** Error class by status. */
export type ApiErrorClasses = Readonly<Record<number, ApiErrorClass>>

/** Error classes of operations that document no other error classes. */
export const standardErrors: ApiErrorClasses = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: AccessDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
}

// The following lists repeat the standard classes. If they spread `standardErrors` instead, a bundler would keep even the unused lists.

/** Error classes of the health check. */
export const healthErrors: ApiErrorClasses = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: AccessDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  503: ServiceUnavailableError,
}

/** Error classes of feedback. */
export const feedbackErrors: ApiErrorClasses = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: AccessDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: FeedbackNotConfiguredError,
}

/** Error classes of evaluators and evaluation rules. Only operations that create objects can respond with status 409. */
export const evaluationErrors: ApiErrorClasses = {
  400: BadRequestError,
  401: EvaluationUnauthorizedError,
  403: EvaluationAccessDeniedError,
  404: EvaluationNotFoundError,
  405: EvaluationMethodNotAllowedError,
  409: ConflictError,
  412: PreconditionFailedError,
  429: TooManyRequestsError,
  500: InternalServerError,
}
