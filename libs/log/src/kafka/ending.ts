// Ends a group member exactly once, even if several components request the end, or a step fails.
import type { Logger } from '../embedded/logger.ts'

export interface Ending {
  /** Aborts when the member begins to end. */
  readonly signal: AbortSignal
  /** Resolves when the member has left the group and all its work has ended. */
  end(): Promise<void>
  /** Ends the member permanently. */
  fail(error: unknown): void
}

export function createEnding(
  { group, onFatal }: { readonly group: string; onFatal(error: unknown): void },
  logger: Logger,
  leave: () => Promise<void>,
): Ending {
  const stopping = new AbortController()
  let ended: Promise<void> | undefined

  const end = (): Promise<void> =>
    (ended ??= (async () => {
      stopping.abort()
      await leave()
    })())

  function fail(error: unknown): void {
    if (stopping.signal.aborted) {
      logger.warn({ err: error, group }, 'A consumer failed while it stopped')
      return
    }
    void end()
    onFatal(error)
  }

  return { signal: stopping.signal, end, fail }
}
