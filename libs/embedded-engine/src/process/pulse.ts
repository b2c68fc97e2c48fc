// Whether a process that is alive also answers. Frozen, or stuck in its library, it would hold its port and
// its lock for good.

export interface PulseOptions {
  /** Asks; resolves with any answer. One question at a time. */
  readonly ask: () => Promise<unknown>
  readonly intervalMs: number
  /** So long without an answer to a question that has been asked is silence. */
  readonly silenceMs: number
  /** Called once. */
  readonly onSilent: () => void
}

export interface Pulse {
  /** To be called every `intervalMs`. */
  tick(): void
}

/**
 * Counts in ticks and not by a clock: a parent that was frozen itself, or slept with its machine, has not
 * listened meanwhile, and that time is no silence of the child.
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
