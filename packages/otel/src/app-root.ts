// Marks an application's first exported span in a trace. The span's parents possibly belong to an instrumentation whose spans are not
// exported. The server treats the marked span as a root.
import type { Context } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { getSvcTraceIdFromBaggage } from '@svc/core'

/** Limits the memory for spans that never end. */
const mostRemembered = 100_000

export class AppRoots {
  /** Ids of unfinished spans that will probably be exported. */
  private readonly expected = new Set<string>()

  /** Returns true if the span is an application root. The span is remembered until it ends. */
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

  /** Returns true if the span was expected to be exported when it started. */
  end(span: ReadableSpan): boolean {
    return this.expected.delete(span.spanContext().spanId)
  }
}
