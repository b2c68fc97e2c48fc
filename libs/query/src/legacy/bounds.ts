import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { limits, patience } from './tables.ts'

export interface Asked<Query> {
  readonly projectId: string
  readonly query: Query
  readonly signal: AbortSignal | undefined
}

/** `what` is the read's name in error messages, such as "a page of traces". */
export const boundsOf = (comment: string, what: string, signal: AbortSignal | undefined): Bounds => ({
  ...{ limits, signal, comment },
  deadline: deadlineIn(patience, what),
})
