// Error classes of the unstable operations (dashboards, widgets, skills). Stable operations have other classes with the same names. Code
// that catches a stable class does not catch the unstable class.
import { type ApiErrorClasses, type RawResponse, SvcAPIError } from './errors.ts'

class StatusError extends SvcAPIError {
  constructor(name: string, statusCode: number, body: unknown, rawResponse: RawResponse | undefined) {
    super({ message: name, statusCode, body, rawResponse })
    this.name = name
  }
}

export class BadRequestError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('BadRequestError', 400, body, rawResponse)
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

export class ConflictError extends StatusError {
  constructor(body: unknown, rawResponse?: RawResponse) {
    super('ConflictError', 409, body, rawResponse)
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
export const unstableErrors: ApiErrorClasses = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: AccessDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  429: TooManyRequestsError,
  500: InternalServerError,
}
