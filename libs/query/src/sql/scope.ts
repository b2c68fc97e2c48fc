// The bounds of a read. No bound has a default value, so code that omits a bound does not compile.
import { AppError } from '@svc-server/errors'

/** Microseconds since the epoch; `from` is inclusive, and `to` is exclusive. */
export type TimeRange =
  | { readonly from: bigint; readonly to?: bigint | undefined }
  | { readonly from?: bigint | undefined; readonly to: bigint }
  /** The reason why the query has no time range. This text is only documentation. */
  | { readonly everyTime: string }

export interface Scope {
  readonly project: string
  readonly time: TimeRange
}

export interface Limits {
  /** A query that returns more rows fails. */
  readonly rows: number
  readonly memoryBytes: number
  readonly readBytes: number
}

export interface Bounds {
  readonly limits: Limits
  readonly deadline: Deadline
  /** Aborted when the caller no longer waits for the rows. */
  readonly signal: AbortSignal | undefined
  /** Value of `log_comment`, which identifies the read in the query log. */
  readonly comment: string
  /**
   * If true, the engine sorts the matching rows after it has read them. If few rows match, sorting costs less than reading all parts of the
   * table in the order of the key.
   */
  readonly isSortedLate?: boolean
}

/** Time budget, shared by all queries of a page. */
export interface Deadline {
  /** Returns whole seconds. Throws `column_store_overloaded` if less than a second is left. */
  secondsLeft(): number
  /**
   * True when half of the page's time has passed. The page then ends with the keys found so far, because reading their rows also takes
   * time.
   */
  isLate(): boolean
}

/** `what` is the read's name in error messages, such as "a page of scores". */
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
