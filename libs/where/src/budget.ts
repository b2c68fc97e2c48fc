// What a look may cost: bytes of records and time. Beyond it what was found is the answer, which says so.

export interface Budget {
  /** False: nothing more is to be read. */
  readonly hasMore: boolean
  /** True once something was left out. */
  readonly isSpent: boolean
  spend(bytes: number): void
  /** Something was not looked at. */
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
