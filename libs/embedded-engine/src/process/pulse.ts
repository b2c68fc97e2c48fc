// Detects a process that is alive but does not respond. Such a process would keep its port and its lock forever.

export interface PulseOptions {
  /** Sends a probe. Only one probe is pending at a time. An error counts as a response, too. */
  readonly ask: () => Promise<unknown>
  readonly intervalMs: number
  readonly silenceMs: number
  /** Called once, after `silenceMs` without a response. */
  readonly onSilent: () => void
}

export interface Pulse {
  /** Call once per `intervalMs`. */
  tick(): void
}

/** Counts ticks instead of time. While the parent or the machine is stopped, no ticks occur, and the child does not count as silent. */
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
