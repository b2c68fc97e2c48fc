// Detects a process that is alive but does not respond. A frozen process, or one stuck in its library, would hold its
// port and its lock forever.

export interface PulseOptions {
  /** Sends a probe and resolves with any response. One probe at a time. */
  readonly ask: () => Promise<unknown>
  readonly intervalMs: number
  /** A probe without a response for this long counts as silence. */
  readonly silenceMs: number
  /** Called once. */
  readonly onSilent: () => void
}

export interface Pulse {
  /** Must be called every `intervalMs`. */
  tick(): void
}

/**
 * Counts ticks instead of clock time: a parent that was frozen, or whose machine slept, could not receive responses, so that time does not
 * count as silence of the child.
 */
export const createPulse = ({ ask, intervalMs, silenceMs, onSilent }: PulseOptions): Pulse => {
  const bearable = Math.ceil(silenceMs / intervalMs)
  let waiting = false
  let missed = 0
  let silent = false
  return {
    tick() {
      if (silent) return
      if (waiting) {
        missed += 1
        if (missed < bearable) return
        silent = true
        return onSilent()
      }
      waiting = true
      const answered = () => {
        waiting = false
        missed = 0
      }
      ask().then(answered, answered)
    },
  }
}
