// What every read is bounded by. None of it has a default: a query without it does not compile.
import { AppError } from '@svc-server/errors'

/** Microseconds since the epoch; `from` belongs to the range, `to` does not. */
export type TimeRange =
  | { readonly from: bigint; readonly to?: bigint | undefined }
  | { readonly from?: bigint | undefined; readonly to: bigint }
  /** Why the query may look at every time, for whoever reads the code. */
  | { readonly everyTime: string }

/** Which rows of a table a query may see. */
export interface Scope {
  readonly project: string
  readonly time: TimeRange
}

export interface Limits {
  /** More rows fail the query. */
  readonly rows: number
  readonly memoryBytes: number
  readonly readBytes: number
}

/** What a query may take, and who asked for it. */
export interface Bounds {
  readonly limits: Limits
  readonly deadline: Deadline
  /** Aborts when nobody waits for the rows any more. */
  readonly signal: AbortSignal | undefined
  /** `log_comment`: which read this is, in the log of queries of the column store. */
  readonly comment: string
}

/** Of a page, however many queries it takes. */
export interface Deadline {
  /** Whole seconds for the next query. Throws `column_store_overloaded` when there are none. */
  secondsLeft(): number
  /** Half of the time is over: what was found by now is to be the page, as its rows take time, too. */
  isLate(): boolean
}

/** `what` names the read: "a page of scores". */
export function deadlineIn(seconds: number, what: string): Deadline {
  const end = performance.now() + seconds * 1000
  const left = () => (end - performance.now()) / 1000
  return {
    isLate: () => left() < seconds / 2,
    secondsLeft() {
      const whole = Math.ceil(left())
      if (whole <= 0) throw new AppError('column_store_overloaded', `Query: ${what} took longer than ${seconds} seconds`)
      return whole
    },
  }
}
