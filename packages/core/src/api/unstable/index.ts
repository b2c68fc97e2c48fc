// Everything of the operations that may change without a major version. The package exports it as the namespace `unstable`.
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
