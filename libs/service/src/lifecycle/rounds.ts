// Repeats a piece of work until its process ends.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Rounds {
  /** Aborts when the round must end. */
  readonly signal: AbortSignal
  start(): void
  /** Resolves when the current round has ended. */
  stop(): Promise<void>
}

export interface RoundsOptions {
  /** Runs one round of the repeated work. A round must log its failures; the next round retries them. A rejection counts as a bug. */
  readonly round: (signal: AbortSignal) => Promise<unknown>
  /** Pause between two rounds. The pause does not keep the process alive. */
  readonly restMs: number
  /** True if the first round starts immediately; otherwise it starts after a pause. */
  readonly isAtOnce?: boolean
}

export function createRounds({ round, restMs, isAtOnce = false }: RoundsOptions): Rounds {
  const ending = new AbortController()
  const { signal } = ending
  let running: Promise<void> = Promise.resolve()

  async function go(): Promise<void> {
    if (isAtOnce && !signal.aborted) await round(signal)
    while (!signal.aborted) {
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) await round(signal)
    }
  }

  return {
    signal,
    start: () => void (running = go()),
    async stop() {
      ending.abort()
      await running
    },
  }
}
