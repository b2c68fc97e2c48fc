export { AppError, definitionOf, type ErrorParams, isAppError, isRetryable } from './app-error.ts'
export { type ErrorClass, type ErrorCode, type ErrorDefinition, errors, type GrpcCode, grpcCodes } from './catalogue.ts'
export { type DeadLetterCause, type DeadLetterReason, deadLetterReasons } from './dead-letter-reasons.ts'
