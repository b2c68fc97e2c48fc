// All waits of the backfill use this function, so that a wait ends early when the process stops.
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'

/** The returned function throws `draining` as soon as the signal is aborted. */
export const createSleep =
  (signal?: AbortSignal) =>
  async (ms: number): Promise<void> => {
    await delay(ms, undefined, { ...(signal && { signal }) }).catch(() => {
      throw new AppError('draining', 'The backfill runner is stopping.')
    })
  }
