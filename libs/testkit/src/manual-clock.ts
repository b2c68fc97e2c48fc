export interface ManualClock {
  /** Returns milliseconds since the epoch. Tests inject this function as a clock. */
  readonly now: () => number
  advance(ms: number): void
  set(ms: number): void
}

export function manualClock(startMs = Date.UTC(2026, 10, 21)): ManualClock {
  let current = startMs
  return {
    now: () => current,
    advance: ms => void (current += ms),
    set: ms => void (current = ms),
  }
}
