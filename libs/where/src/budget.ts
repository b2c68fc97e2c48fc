// Limits the bytes of records that a search reads, and the time of the search.

export interface Budget {
  /** False if the search must stop reading. */
  readonly hasMore: boolean
  /** True if the search has skipped data. */
  readonly isSpent: boolean
  spend(bytes: number): void
  /** Called when the search skips data, so that the result is marked as incomplete. */
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
