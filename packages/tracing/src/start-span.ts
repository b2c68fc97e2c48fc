// Starts the span of an observation.
import { type Context, type Span, type SpanContext, trace } from '@opentelemetry/api'
import { getActiveContext } from '@svc/core'
import { getSvcTracer } from './tracer-provider.ts'

/** The given parent replaces the active span. */
export function parentContext(parentSpanContext: SpanContext | undefined): Context {
  const active = getActiveContext()
  return parentSpanContext ? trace.setSpanContext(active, parentSpanContext) : active
}

export function startSpan(
  name: string,
  { startTime, parentSpanContext }: { startTime?: Date | undefined; parentSpanContext?: SpanContext | undefined },
  within: Context = parentContext(parentSpanContext),
): Span {
  return getSvcTracer().startSpan(name, startTime ? { startTime } : {}, within)
}
