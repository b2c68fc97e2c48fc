// Traces the services' own work. Until a provider has started (provider.ts), nothing is traced.
import { type Attributes, context, ROOT_CONTEXT, type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

export { type Attributes, SpanKind } from '@opentelemetry/api'

export interface SpanOptions {
  readonly kind: SpanKind
  readonly attributes?: Attributes
  /** If true, the span begins a separate trace, even inside another span. */
  readonly root?: boolean
}

/** Messages can contain client data, so they are truncated. */
const maxMessage = 300

let isOn = false
/** While tracing is off, callers can skip expensive attributes and wrappers. */
export const isTracing = (): boolean => isOn
export const setTracing = (on: boolean): void => void (isOn = on)

/** The span records an error of the work. */
export async function traced<T>(name: string, { root = false, ...options }: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!isOn) return work()
  const within = root ? ROOT_CONTEXT : context.active()
  const span = trace.getTracer('svc').startSpan(name, options, within)
  try {
    return await context.with(trace.setSpan(within, span), work)
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error instanceof Error ? error.message : String(error)).slice(0, maxMessage) })
    throw error
  } finally {
    span.end()
  }
}

/** Changes the active span. With `name`, renames it. */
export function annotate(attributes: Attributes, name?: string): void {
  if (!isOn) return
  const span = trace.getActiveSpan()
  span?.setAttributes(attributes)
  if (name !== undefined) span?.updateName(name)
}

/** Marks the active span as failed. Used for work that reports its failure without throwing. */
export function markFailed(message: string): void {
  if (isOn) trace.getActiveSpan()?.setStatus({ code: SpanStatusCode.ERROR, message })
}

/** Ids of the active trace and span. */
export function logFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const here = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  return here ? { trace_id: here.traceId, span_id: here.spanId } : {}
}
