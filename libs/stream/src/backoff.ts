// Waits for a dependency that is down, with exponential back-off and full jitter. A budget bounds the wait, and revoking the partition
// aborts it. Waiting work inside a handler keeps its buffers, so the budget also limits the time that their memory is held.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'

export interface BackoffOptions {
  readonly minMs: number
  readonly maxMs: number
  /** Counted from the first failure. After the budget the failure is thrown. */
  readonly budgetMs: number
}

export interface Backoff {
  /** Waits before the next try. Throws `cause` when the budget is spent or the signal aborts. */
  after(cause: AppError): Promise<void>
  /** Retries a repeatable action for as long as its failures are transient. */
  retry<T>(action: () => Promise<T>): Promise<T>
}

/** A failure that may pass while this process still owns the partition. */
export const isTransient = (error: unknown): error is AppError => isAppError(error) && error.code !== 'fenced' && isRetryable(error)

export function createBackoff(
  options: BackoffOptions,
  { clock, signal, onWait }: { clock: () => number; signal: AbortSignal; onWait?: (cause: AppError, ms: number) => void },
): Backoff {
  let tries = 0
  let since: number | null = null
  const after = async (cause: AppError): Promise<void> => {
    since ??= clock()
    const leftMs = since + options.budgetMs - clock()
    if (signal.aborted || leftMs <= 0) throw cause
    const ceilingMs = Math.min(options.maxMs, options.minMs * 2 ** tries)
    tries += 1
    const waitMs = Math.min(leftMs, options.minMs + Math.random() * (ceilingMs - options.minMs))
    onWait?.(cause, waitMs)
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) throw cause
  }
  return {
    after,
    async retry(action) {
      for (;;) {
        try {
          return await action()
        } catch (error) {
          if (!isTransient(error)) throw error
          await after(error)
        }
      }
    },
  }
}
