// Starts the span of an observation.
import { type Context, context, type Span, type SpanContext, trace } from '@opentelemetry/api'
import { getSvcTracer } from './tracer-provider.ts'

/** The active context, with the given parent instead of the active span. */
export function parentContext(parentSpanContext: SpanContext | undefined): Context {
  const active = context.active()
  return parentSpanContext ? trace.setSpanContext(active, parentSpanContext) : active
}

export function startSpan(
  name: string,
  { startTime, parentSpanContext }: { startTime?: Date | undefined; parentSpanContext?: SpanContext | undefined },
  within: Context = parentContext(parentSpanContext),
): Span {
  return getSvcTracer().startSpan(name, startTime ? { startTime } : {}, within)
}
