// How a member of a group ends on Kafka: once, whoever asks first, and whatever fails.
import type { Logger } from '../embedded/logger.ts'

export interface Ending {
  /** Aborts when it begins. */
  readonly signal: AbortSignal
  /** Resolves when the member has left and nothing of it runs. */
  end(): Promise<void>
  /** For good. */
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
      logger.warn({ err: error, group }, 'A member of a group failed while it ended')
      return
    }
    void end()
    onFatal(error)
  }

  return { signal: stopping.signal, end, fail }
}
