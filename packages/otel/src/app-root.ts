// Marks an application's first exported span in a trace. The server treats this span as a root, even if the span has a parent. The parent
// can belong to an instrumentation whose spans are not exported.
import type { Context } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { getSvcTraceIdFromBaggage } from '@svc/core'

/** Maximum number of remembered spans. Some spans never end. */
const mostRemembered = 100_000

export class AppRoots {
  /** Unfinished spans that will probably be exported. */
  private readonly expected = new Set<string>()

  /** Returns true if the span is an application root. Remembers the span until it ends. */
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

  /** Forgets the span. Returns true if the span was expected to be exported. */
  end(span: ReadableSpan): boolean {
    return this.expected.delete(span.spanContext().spanId)
  }
}
