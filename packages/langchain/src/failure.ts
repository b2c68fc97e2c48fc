// How a run that threw is recorded.
import { serializeValue } from '@svc/core'
import type { SvcSpanAttributes } from '@svc/tracing'
import { fieldsOf } from './values.ts'

/** LangGraph throws to interrupt a graph, to hand over to its parent or to stop it: nothing is wrong. */
function isControlFlow(error: unknown): boolean {
  return fieldsOf(error)['is_bubble_up'] === true
}

/** `withDetails`: also what a provider says about a refusal, such as that of a content filter. */
export function failure(error: unknown, withDetails: boolean): SvcSpanAttributes {
  const details = withDetails ? serializeValue(fieldsOf(error)['error']) : undefined
  return {
    level: isControlFlow(error) ? 'DEFAULT' : 'ERROR',
    statusMessage: details === undefined ? String(error) : `${String(error)}\n\nError details:\n${details}`,
  }
}
