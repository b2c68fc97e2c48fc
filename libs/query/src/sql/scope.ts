// The bounds that every read must have. No bound has a default, so code that omits one does not compile.
import { AppError } from '@svc-server/errors'

/** Microseconds since the epoch; `from` is inclusive, and `to` is exclusive. */
export type TimeRange =
  | { readonly from: bigint; readonly to?: bigint | undefined }
  | { readonly from?: bigint | undefined; readonly to: bigint }
  /** The reason why the query reads all times. The reason is documentation and is not evaluated. */
  | { readonly everyTime: string }

/** The rows of a table that a query is allowed to read. */
export interface Scope {
  readonly project: string
  readonly time: TimeRange
}

export interface Limits {
  /** Maximum number of rows. A query that returns more rows fails. */
  readonly rows: number
  readonly memoryBytes: number
  readonly readBytes: number
}

/** The resources that a query is allowed to use, and data about its caller. */
export interface Bounds {
  readonly limits: Limits
  readonly deadline: Deadline
  /** Aborted when the caller no longer waits for the rows. */
  readonly signal: AbortSignal | undefined
  /** Value of `log_comment`, which identifies the read in the column store's query log. */
  readonly comment: string
  /**
   * True if few rows meet the conditions. The column store reads all matching rows and sorts them. Sorting a few rows costs less than
   * reading all parts of the table in the order of the key.
   */
  readonly isSortedLate?: boolean
}

/** The time budget of a page, shared by all of its queries. */
export interface Deadline {
  /** Returns the whole seconds left for the next query. Throws `column_store_overloaded` if less than a second is left. */
  secondsLeft(): number
  /**
   * True if half of the time budget is used up. A late page ends with the keys found so far, because reading their rows takes time, too.
   */
  isLate(): boolean
}

/** `what` is the name of the read in error messages, such as "a page of scores". */
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
