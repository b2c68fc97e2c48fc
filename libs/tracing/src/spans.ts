// What services say of their own work. Nothing is kept and nothing costs anything until a provider is started (provider.ts): until then
// `traced` is the work itself.
import { type Attributes, context, ROOT_CONTEXT, type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

export { type Attributes, SpanKind } from '@opentelemetry/api'

export interface SpanOptions {
  readonly kind: SpanKind
  readonly attributes?: Attributes
  /** A trace of its own, whatever goes on around it. */
  readonly root?: boolean
}

/** Messages may hold what a client sent. */
const maxMessage = 300

let isOn = false
/** For what would cost something to ask for or to wrap. */
export const isTracing = (): boolean => isOn
export const setTracing = (on: boolean): void => void (isOn = on)

/** The work as a span around it, with its error if it throws one. */
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

/** What becomes known of the work at hand; `name` where its first name said less. */
export function annotate(attributes: Attributes, name?: string): void {
  if (!isOn) return
  const span = trace.getActiveSpan()
  span?.setAttributes(attributes)
  if (name !== undefined) span?.updateName(name)
}

/** The work at hand did not do what it was asked for, and says so in another way than by throwing. */
export function markFailed(message: string): void {
  if (isOn) trace.getActiveSpan()?.setStatus({ code: SpanStatusCode.ERROR, message })
}

/** Says which trace a log line belongs to. */
export function logFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const here = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  return here ? { trace_id: here.traceId, span_id: here.spanId } : {}
}
