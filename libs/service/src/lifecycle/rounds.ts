// Repeats a piece of work until `stop` is called.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Rounds {
  /** Aborted when the round must end. */
  readonly signal: AbortSignal
  start(): void
  /** Resolves when the round has ended. */
  stop(): Promise<void>
}

export interface RoundsOptions {
  /**
   * Runs one round. The function must log its failures, because a rejection counts as a bug. After a failure, the next round retries the
   * work.
   */
  readonly round: (signal: AbortSignal) => Promise<unknown>
  /** Pause between two rounds. The timer of the pause does not keep the process alive. */
  readonly restMs: number
  /** If false, the first round starts after a pause. */
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
