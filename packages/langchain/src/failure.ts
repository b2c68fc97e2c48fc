// Decides how to record a run that threw an error.
import { serializeValue } from '@svc/core'
import type { SvcSpanAttributes } from '@svc/tracing'
import { fieldsOf } from './values.ts'

/**
 * LangGraph throws some errors to interrupt or stop the graph, or to return to the parent graph. A run with such an error has not failed.
 */
function isControlFlow(error: unknown): boolean {
  return fieldsOf(error)['is_bubble_up'] === true
}

/** `withDetails` includes the provider's explanation of a refusal, for example by a content filter. */
export function failure(error: unknown, withDetails: boolean): SvcSpanAttributes {
  const details = withDetails ? serializeValue(fieldsOf(error)['error']) : undefined
  return {
    level: isControlFlow(error) ? 'DEFAULT' : 'ERROR',
    statusMessage: details === undefined ? String(error) : `${String(error)}\n\nError details:\n${details}`,
  }
}
