// Finds the innermost active span. Datadog's context manager returns a span of Datadog, even if a span of another provider is active inside
// that span.
import { type Context, context, createContextKey, type Span, trace } from '@opentelemetry/api'

const hiddenKey = /* @__PURE__ */ createContextKey('svc_hidden_span')

interface Hidden {
  readonly span: Span
  /** Id of the span that the context manager returns instead of `span`. */
  readonly shownId: string
}

/** Returns the context of the innermost active span, even if the context manager returns a context with another span. */
export function getActiveContext(): Context {
  const active = context.active()
  const hidden = active.getValue(hiddenKey) as Hidden | undefined
  // If the active span has an id other than `shownId`, the application has started the active span inside the hidden span. The active span
  // is then the innermost span, so the function returns the active context.
  if (hidden === undefined || trace.getSpanContext(active)?.spanId !== hidden.shownId) return active
  return trace.setSpan(active, hidden.span)
}

/** Calls `fn` while `span` is the active span. The context `within` must contain the span. */
export function withActiveSpan<R>(within: Context, span: Span, fn: () => R): R {
  return context.with(within, () => {
    const shownId = trace.getSpanContext(context.active())?.spanId
    if (shownId === undefined || shownId === span.spanContext().spanId) return fn()
    const hidden: Hidden = { span, shownId }
    return context.with(within.setValue(hiddenKey, hidden), fn)
  })
}
