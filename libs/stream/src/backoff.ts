// Waits for an unavailable dependency. The waits increase exponentially, with full jitter, within a budget. The caller keeps its buffers
// while it waits, so the budget also limits how long the buffers use memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'

export interface BackoffOptions {
  readonly minMs: number
  readonly maxMs: number
  /** Maximum time for all attempts, from the first failure on. After this time, the failure is thrown to the caller. */
  readonly budgetMs: number
}

export interface Backoff {
  /** Throws `cause` if the budget is used up or the signal aborts. */
  after(cause: AppError): Promise<void>
  /** Repeats an action while its failures are transient. The action must be idempotent. */
  retry<T>(action: () => Promise<T>): Promise<T>
}

/** True for a failure that can end by itself while this process owns the partition. */
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
