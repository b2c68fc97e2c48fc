// The only way in which the backfill waits, so that every wait and every poll ends when the process must end.
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'

/** Throws `draining` at once when the signal is or becomes aborted. */
export const createSleep =
  (signal?: AbortSignal) =>
  async (ms: number): Promise<void> => {
    await delay(ms, undefined, { ...(signal && { signal }) }).catch(() => {
      throw new AppError('draining', 'The backfill runner is stopping.')
    })
  }
