import { isSpanContextValid, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import { setSvcTraceIdInBaggage, withActiveSpan } from '@svc/core'
import { createObservation, type ObservationByType } from './observations.ts'
import { parentContext, startSpan } from './start-span.ts'
import type { AttributesByType, StartActiveObservationOpts, StartObservationOpts, SvcObservationType } from './types.ts'
import { whenSettled } from './when-settled.ts'

/**
 * Starts an observation without making it active. The caller ends it. The observation's parent is the active span, unless the options name
 * a different parent.
 */
export function startObservation<T extends SvcObservationType = 'span'>(
  name: string,
  attributes?: AttributesByType[T],
  options: StartObservationOpts<T> = {},
): ObservationByType[T] {
  return createObservation(options.asType ?? ('span' as T), startSpan(name, options), attributes, options.startTime)
}

function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : 'Unknown error' })
}

/**
 * Starts an observation, makes it active and calls `fn` with it. The observation ends when the result of `fn` has settled. An error of `fn`
 * is passed to `onError` and rethrown.
 */
export function withActiveObservation<R, T extends SvcObservationType>(
  name: string,
  fn: (observation: ObservationByType[T]) => R,
  options: StartActiveObservationOpts<T>,
  onError: (span: Span, error: unknown) => void,
): R {
  const { asType = 'span' as T, endOnExit = true, parentSpanContext, startTime } = options
  const parent = parentContext(parentSpanContext)
  const span = startSpan(name, options, parent)
  const observation = createObservation(asType, span, undefined, startTime)
  const spanContext = span.spanContext()
  const active = trace.setSpan(parent, span)
  // If the application calls other services, the baggage entry shows them that the trace already has an application root. The other
  // services therefore mark none of their own spans as an application root.
  const within = isSpanContextValid(spanContext) ? setSvcTraceIdInBaggage(active, spanContext.traceId) : active
  function end(): void {
    if (endOnExit) observation.end()
  }
  function endWithError(error: unknown): void {
    onError(span, error)
    end()
  }
  let result: R
  try {
    result = withActiveSpan(within, span, () => fn(observation))
  } catch (error) {
    endWithError(error)
    throw error
  }
  return whenSettled(result, end, endWithError)
}

/**
 * Starts an observation, makes it active and calls `fn` with it. Returns the result of `fn`, and ends the observation when the result has
 * settled. If `fn` throws an error, the span gets the error as its status, and the error is rethrown.
 */
export function startActiveObservation<R, T extends SvcObservationType = 'span'>(
  name: string,
  fn: (observation: ObservationByType[T]) => R,
  options: StartActiveObservationOpts<T> = {},
): R {
  return withActiveObservation(name, fn, options, fail)
}
