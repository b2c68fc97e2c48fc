// Limits the bytes that repairs publish per second, so that windows also make progress.

export interface Budget {
  /** Returns the number of bytes that repairs can publish now. The number is negative if repairs have published more than the limit. */
  left(): number
  spend(bytes: number): void
}

/** Unused bytes accumulate, up to the number of bytes for one second. */
export function createBudget(bytesPerSecond: number, monotonicNow: () => number): Budget {
  let left = bytesPerSecond
  let at = monotonicNow()
  return {
    left(): number {
      const now = monotonicNow()
      left = Math.min(bytesPerSecond, left + ((now - at) / 1000) * bytesPerSecond)
      at = now
      return left
    },
    spend(bytes: number): void {
      left -= bytes
    },
  }
}
