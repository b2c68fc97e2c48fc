// Values that the handler sets on every observation of a trace. When the handler starts an observation, the context of the
// parent observation is not active. The handler therefore propagates the values again for each observation.
import { context } from '@opentelemetry/api'
import {
  getPropagatedAttributesFromContext,
  SvcOtelSpanAttributes as keys,
  type PropagateAttributesParams,
  propagateAttributes,
} from '@svc/core'

/** Removes invalid values here, so that one warning is logged instead of one per observation. */
function accepted(values: PropagateAttributesParams): PropagateAttributesParams {
  const attributes = getPropagatedAttributesFromContext(context.active())
  const tags = attributes[keys.TRACE_TAGS]
  const metadata = Object.entries(values.metadata ?? {}).filter(([key]) => attributes[`${keys.TRACE_METADATA}.${key}`] !== undefined)
  return {
    ...(attributes[keys.TRACE_USER_ID] !== undefined && { userId: values.userId }),
    ...(attributes[keys.TRACE_SESSION_ID] !== undefined && { sessionId: values.sessionId }),
    ...(attributes[keys.VERSION] !== undefined && { version: values.version }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    ...(Array.isArray(tags) && { tags: values.tags?.filter(tag => (tags as readonly unknown[]).includes(tag)) }),
  }
}

/** Propagates the values to `fn`. Also returns the accepted values, which the observation's descendants get. */
export function withTraceValues<R>(
  values: PropagateAttributesParams,
  fn: () => R,
): { readonly result: R; readonly values: PropagateAttributesParams } {
  if (Object.values(values).every(value => value === undefined || (Array.isArray(value) && value.length === 0)))
    return { result: fn(), values: {} }
  return propagateAttributes(values, () => ({ values: accepted(values), result: fn() }))
}
