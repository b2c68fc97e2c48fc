// Marks the first exported span of an application inside of a trace: its parents may belong to an instrumentation that is not exported, and the
// server takes the marked span for a root.
import type { Context } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { getSvcTraceIdFromBaggage } from '@svc/core'

/** Spans that never end would be remembered for ever. */
const mostRemembered = 100_000

export class AppRoots {
  /** Ids of running spans that are expected to be exported. */
  private readonly expected = new Set<string>()

  /** Whether the span is an application root. It is remembered until it ends. */
  start(span: ReadableSpan, parentContext: Context, willBeExported: boolean): boolean {
    if (!willBeExported) return false
    const { spanId, traceId } = span.spanContext()
    const parentId = span.parentSpanContext?.spanId
    const isRoot =
      (parentId === undefined || !this.expected.has(parentId)) && getSvcTraceIdFromBaggage(parentContext) !== traceId.toLowerCase()
    if (this.expected.size >= mostRemembered) {
      for (const oldest of this.expected) {
        this.expected.delete(oldest)
        break
      }
    }
    this.expected.add(spanId)
    return isRoot
  }

  /** Whether the span was expected to be exported when it started. */
  end(span: ReadableSpan): boolean {
    return this.expected.delete(span.spanContext().spanId)
  }
}
