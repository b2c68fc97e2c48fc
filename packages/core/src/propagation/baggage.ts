// The claim in baggage that a trace already has its application root, so that a called service does not mark a second application root.
import { type Context, propagation } from '@opentelemetry/api'
import { SVC_TRACE_ID_BAGGAGE_KEY } from '../constants.ts'

/** Trace id of the claim, in lower case. */
export function getSvcTraceIdFromBaggage(context: Context): string | undefined {
  return propagation.getBaggage(context)?.getEntry(SVC_TRACE_ID_BAGGAGE_KEY)?.value.toLowerCase()
}

/** The context with the claim for this trace; the same object if it already has the claim. */
export function setSvcTraceIdInBaggage(context: Context, traceId: string): Context {
  const claim = traceId.toLowerCase()
  const baggage = propagation.getBaggage(context)
  if (baggage?.getEntry(SVC_TRACE_ID_BAGGAGE_KEY)?.value === claim) return context
  return propagation.setBaggage(context, (baggage ?? propagation.createBaggage()).setEntry(SVC_TRACE_ID_BAGGAGE_KEY, { value: claim }))
}
