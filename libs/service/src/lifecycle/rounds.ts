// Work that comes up again and again until its process ends.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Rounds {
  /** Aborted when it is to end. */
  readonly signal: AbortSignal
  start(): void
  /** Resolves when the round that runs has ended. */
  stop(): Promise<void>
}

export interface RoundsOptions {
  /** One round. What it cannot do it says, and the next one tries again; a rejection is a defect, and goes on as one. */
  readonly round: (signal: AbortSignal) => Promise<unknown>
  /** Between two of them; it keeps no process alive. */
  readonly restMs: number
  /** The first one begins at once, and not after a rest. */
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
