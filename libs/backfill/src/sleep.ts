// All waits and polls of the backfill use this function, so that each of them ends when the process must end.
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'

/** Throws `draining` immediately if the signal is already aborted or as soon as it is aborted. */
export const createSleep =
  (signal?: AbortSignal) =>
  async (ms: number): Promise<void> => {
    await delay(ms, undefined, { ...(signal && { signal }) }).catch(() => {
      throw new AppError('draining', 'The backfill runner is stopping.')
    })
  }
