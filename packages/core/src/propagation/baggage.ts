// Reads and sets a baggage entry which claims that the trace already has an application root. The services that this application calls then
// mark none of their own spans as an application root.
import { type Context, propagation } from '@opentelemetry/api'
import { SVC_TRACE_ID_BAGGAGE_KEY } from '../constants.ts'

/** Returns the trace id in lower case. */
export function getSvcTraceIdFromBaggage(context: Context): string | undefined {
  return propagation.getBaggage(context)?.getEntry(SVC_TRACE_ID_BAGGAGE_KEY)?.value.toLowerCase()
}

/** Returns the context unchanged if its baggage already contains this trace id. */
export function setSvcTraceIdInBaggage(context: Context, traceId: string): Context {
  const claim = traceId.toLowerCase()
  const baggage = propagation.getBaggage(context)
  if (baggage?.getEntry(SVC_TRACE_ID_BAGGAGE_KEY)?.value === claim) return context
  return propagation.setBaggage(context, (baggage ?? propagation.createBaggage()).setEntry(SVC_TRACE_ID_BAGGAGE_KEY, { value: claim }))
}
