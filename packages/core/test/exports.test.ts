// Applications and other packages import these exports, so each export must exist. Removed exports must not exist (contract §9.2).
import { expect, test } from 'vitest'
import * as core from '../src/index.ts'

const values = `SVC_TRACER_NAME SVC_SDK_VERSION SVC_SDK_NAME SVC_SDK_EXPERIMENT_ENVIRONMENT SVC_TRACE_ID_BAGGAGE_KEY SvcOtelSpanAttributes
  SvcOtelContextKeys getEnv generateUUID safeSetTimeout base64ToBytes bytesToBase64 base64Encode base64Decode createExperimentId
  createStableExperimentId createExperimentItemId serializeValue serializeMetadataValue getSvcTraceIdFromBaggage setSvcTraceIdInBaggage
  getPropagatedAttributesFromContext propagateAttributes Logger LogLevel logger createLogger getGlobalLogger configureGlobalLogger
  resetGlobalLogger SvcMedia SvcMediaReference uploadMedia SvcAPIClient SvcAPIError SvcAPITimeoutError Error UnauthorizedError AccessDeniedError
  NotFoundError MethodNotAllowedError ServiceUnavailableError FeedbackNotConfiguredError BadRequestError EvaluationUnauthorizedError
  EvaluationAccessDeniedError EvaluationNotFoundError EvaluationMethodNotAllowedError ConflictError PreconditionFailedError
  TooManyRequestsError InternalServerError unstable`.split(/\s+/)

test.each(values)('%s is exported', name => {
  expect(core).toHaveProperty(name)
})

test.each(['legacy', 'sessions', 'scoresV3', 'datasetRunItems'])('%s is not', name => {
  expect(core).not.toHaveProperty(name)
})

test('constants that other systems rely on', () => {
  expect([core.SVC_TRACER_NAME, core.SVC_SDK_NAME, core.SVC_SDK_EXPERIMENT_ENVIRONMENT, core.SVC_TRACE_ID_BAGGAGE_KEY]).toEqual([
    ...['svc-sdk', 'javascript', 'sdk-experiment', 'svc_trace_id'],
  ])
})
