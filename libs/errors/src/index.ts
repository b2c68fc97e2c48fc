export { AppError, definitionOf, type ErrorParams, isAppError, isRetryable, retryAfterSeconds } from './app-error.ts'
export { type ErrorCode, grpcCodes } from './catalog.ts'
export { counted, verbFor } from './counted.ts'
export { type DeadLetterCause, type DeadLetterReason, deadLetterReasons } from './dead-letter-reasons.ts'
