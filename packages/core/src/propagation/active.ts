// The innermost span. Datadog's context manager shows its own span where one of another provider was activated inside of it.
import { type Context, context, createContextKey, type Span, trace } from '@opentelemetry/api'

const hiddenKey = /* @__PURE__ */ createContextKey('svc_hidden_span')

interface Hidden {
  readonly span: Span
  /** Span that the context manager shows instead. */
  readonly shownId: string
}

/** The active context, with the innermost span also where the context manager hides it. */
export function getActiveContext(): Context {
  const active = context.active()
  const hidden = active.getValue(hiddenKey) as Hidden | undefined
  // Another span than the one that was shown has been started inside: it is the innermost.
  if (hidden === undefined || trace.getSpanContext(active)?.spanId !== hidden.shownId) return active
  return trace.setSpan(active, hidden.span)
}

/** Calls `fn` with the span active. The context has the span already. */
export function withActiveSpan<R>(within: Context, span: Span, fn: () => R): R {
  return context.with(within, () => {
    const shownId = trace.getSpanContext(context.active())?.spanId
    if (shownId === undefined || shownId === span.spanContext().spanId) return fn()
    const hidden: Hidden = { span, shownId }
    return context.with(within.setValue(hiddenKey, hidden), fn)
  })
}
