// Limits a search by the bytes of records that it reads, and by time. When a limit is reached, the search returns what it has found so far,
// and marks this result as incomplete.

export interface Budget {
  /** False if the search must not read any more records. */
  readonly hasMore: boolean
  /** True if the search has skipped something. */
  readonly isSpent: boolean
  spend(bytes: number): void
  /** Called when the search skips something. The result is then marked as incomplete. */
  giveUp(): void
}

export interface BudgetOptions {
  readonly maxBytes: number
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

export function createBudget({ maxBytes, maxMs, signal }: BudgetOptions): Budget {
  const endMs = performance.now() + maxMs
  let left = maxBytes
  let isSpent = false
  return {
    get hasMore() {
      return left > 0 && performance.now() < endMs && signal?.aborted !== true
    },
    get isSpent() {
      return isSpent
    },
    spend(bytes) {
      left -= bytes
    },
    giveUp() {
      isSpent = true
    },
  }
}
