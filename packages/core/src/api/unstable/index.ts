// Types and errors of operations that can change without a new major version. The package exports this module as the namespace `unstable`.
export {
  AccessDeniedError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  TooManyRequestsError,
  UnauthorizedError,
} from '../core/unstable-errors.ts'
export {
  type PublicApiError,
  PublicApiErrorCode,
  type PublicApiErrorDetails,
  type PublicApiValidationIssue,
} from '../generated/types/commons.ts'
export * from '../generated/unstable.ts'
