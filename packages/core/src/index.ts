// Shared code of the SDK packages, and the API client.
export {
  AccessDeniedError,
  type ApiErrorClass,
  type ApiErrorClasses,
  BadRequestError,
  ConflictError,
  EvaluationAccessDeniedError,
  EvaluationMethodNotAllowedError,
  EvaluationNotFoundError,
  EvaluationUnauthorizedError,
  FeedbackNotConfiguredError,
  InternalServerError,
  InvalidRequestError as Error,
  MethodNotAllowedError,
  NotFoundError,
  PreconditionFailedError,
  type RawResponse,
  ServiceUnavailableError,
  SvcAPIError,
  SvcAPITimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
} from './api/core/errors.ts'
export type { ApiClientOptions, EmptyRequest, HttpResponsePromise, RequestOptions, Supplier, WithRawResponse } from './api/core/request.ts'
export { baseUrlProblem } from './api/core/url.ts'
export * from './api/generated/index.ts'
export * as unstable from './api/unstable/index.ts'
export { base64Decode, base64Encode, base64ToBytes, bytesToBase64 } from './base64.ts'
export { getEnv } from './config.ts'
export { resolveBaseUrl, resolveTimeoutSeconds } from './connection.ts'
export {
  SVC_DEFAULT_BASE_URL,
  SVC_SDK_EXPERIMENT_ENVIRONMENT,
  SVC_SDK_NAME,
  SVC_TRACE_ID_BAGGAGE_KEY,
  SVC_TRACER_NAME,
} from './constants.ts'
export { createExperimentId, createExperimentItemId, createStableExperimentId } from './experiment-ids.ts'
export { randomHex, sha256Hex } from './hash.ts'
export { generateUUID } from './ids.ts'
export { warnOfUnknownVersion } from './known-versions.ts'
export {
  configureGlobalLogger,
  createLogger,
  getGlobalLogger,
  Logger,
  type LoggerConfig,
  LogLevel,
  logger,
  resetGlobalLogger,
} from './logging/logger.ts'
export { type ParsedMediaReference, SvcMedia, type SvcMediaParams } from './media/media.ts'
export { createMediaApi } from './media/media-api.ts'
export { SvcMediaReference, type SvcMediaReferenceParams } from './media/media-reference.ts'
export { type MediaApi, type UploadMediaParams, uploadMedia } from './media/upload-media.ts'
export { dropMetadataOverSpanAttributeLimit } from './metadata-limit.ts'
export { getActiveContext, withActiveSpan } from './propagation/active.ts'
export { getSvcTraceIdFromBaggage, setSvcTraceIdInBaggage } from './propagation/baggage.ts'
export { SvcOtelContextKeys } from './propagation/context-keys.ts'
export { type PropagateAttributesParams, type PropagatedPromptInput, propagateAttributes } from './propagation/propagate.ts'
export { getPropagatedAttributesFromContext } from './propagation/read.ts'
export { serializeMetadataValue, serializeValue } from './serialize.ts'
export { SvcOtelSpanAttributes } from './span-attributes.ts'
export { safeSetTimeout } from './timers.ts'
export { SVC_SDK_VERSION } from './version.ts'
