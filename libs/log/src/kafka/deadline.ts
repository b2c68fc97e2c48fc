// Waiting for an answer, and not for ever. A request of kafkajs that was on its way while its connection was
// put away was neither answered nor timed out: whoever waited for it stood still until the next fault.
import { AppError } from '@svc-server/errors'

/** Longer than kafkajs waits itself: it is for what kafkajs forgets. */
export const answerMs = 30_000

/** Rejects with `log_unavailable` when the work takes longer. Its late result is ignored. */
export async function withinDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('log_unavailable', `${what} was not answered within ${ms / 1000} s.`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
