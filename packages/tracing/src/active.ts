// Functions for the active span, whichever library created it.
import { type Span, trace } from '@opentelemetry/api'
import { getActiveContext, getGlobalLogger, SvcOtelSpanAttributes } from '@svc/core'
import { writeAttributes } from './attributes.ts'
import type { AttributesByType, SvcObservationAttributes, SvcObservationType } from './types.ts'

const currentSpan = (): Span | undefined => trace.getSpan(getActiveContext())

function activeSpan(what: string): Span | undefined {
  const span = currentSpan()
  if (!span) getGlobalLogger().warn(`${what} has no effect: no span is active.`)
  return span
}

/** Sets attributes of the active observation. If `asType` is absent, the type of the observation stays unchanged. */
export function updateActiveObservation<T extends SvcObservationType = 'generation'>(
  attributes: AttributesByType[T],
  options: { asType?: T | undefined } = {},
): void {
  const span = activeSpan('updateActiveObservation')
  if (span) writeAttributes(span, options.asType, attributes as SvcObservationAttributes)
}

/** Makes the active trace readable for anyone with its URL. */
export function setActiveTraceAsPublic(): void {
  activeSpan('setActiveTraceAsPublic')?.setAttribute(SvcOtelSpanAttributes.TRACE_PUBLIC, true)
}

/** Returns 32 hexadecimal characters; undefined if no span is active. */
export function getActiveTraceId(): string | undefined {
  return currentSpan()?.spanContext().traceId
}

/** Returns 16 hexadecimal characters; undefined if no span is active. */
export function getActiveSpanId(): string | undefined {
  return currentSpan()?.spanContext().spanId
}
