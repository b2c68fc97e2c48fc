// A clock that moves only if the test moves it.

export interface ManualClock {
  /** The time in milliseconds since the epoch, as injected clocks return it. */
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
