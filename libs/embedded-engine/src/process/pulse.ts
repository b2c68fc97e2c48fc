// Detects a process that is alive but does not respond. A process that is frozen, or stuck in its library, would keep its port and its lock
// forever.

export interface PulseOptions {
  /** Sends a probe, and resolves with any response. Only one probe is sent at a time. */
  readonly ask: () => Promise<unknown>
  readonly intervalMs: number
  /** A process counts as silent after this time without a response. */
  readonly silenceMs: number
  /** Called once, when the process has been silent for too long. */
  readonly onSilent: () => void
}

export interface Pulse {
  /** The caller must call this function once per `intervalMs`. */
  tick(): void
}

/** Counts ticks instead of time, because the time in which the parent was frozen or its machine slept is not silence of the child. */
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
