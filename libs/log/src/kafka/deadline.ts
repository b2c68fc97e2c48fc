// Limits the wait for a response. If a connection closes while a request is in flight, kafkajs never settles the request, not even after a
// timeout.
import { AppError } from '@svc-server/errors'

/** Time limit of a request. This limit is longer than kafkajs's own timeouts, so that it ends only requests that kafkajs never settles. */
export const answerMs = 30_000

/** Rejects with `log_unavailable` when the work takes longer. A late result is ignored. */
export async function withinDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('log_unavailable', `${what} got no response within ${ms / 1000} s.`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
