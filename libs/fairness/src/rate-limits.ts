// Counts the requests of each organization by bucket (a group of operations), in windows of fixed length that begin with a request
// (contract §16.6). Each service of each process has its own counters, so an organization can send a multiple of the limit.
import { AppError } from '@svc-server/errors'

export interface RateLimit {
  readonly bucket: string
  readonly requests: number
  readonly windowMs: number
}

interface Window {
  readonly endsAt: number
  used: number
}

/** Expired windows are removed at most once in this time. */
const sweepMs = 60_000

interface Counted {
  readonly organization: string
  readonly bucket: string
  /** A sentence for the error message, without the period at its end. The sentence names what the client can use instead. */
  readonly instead?: string | undefined
}

export interface RateLimits {
  /** Counts a request. Throws `rate_limited` if the organization has used up the bucket's limit. */
  take(counted: Counted): void
}

export function createRateLimits(limits: readonly RateLimit[], clock: () => number): RateLimits {
  const limitOf = new Map(limits.map(limit => [limit.bucket, limit]))
  const windows = new Map<string, Window>()
  let sweptAt = clock()

  function sweep(now: number): void {
    if (now - sweptAt < sweepMs) return
    sweptAt = now
    for (const [name, { endsAt }] of windows) if (endsAt <= now) windows.delete(name)
  }

  function windowOf(name: string, { windowMs }: RateLimit, now: number): Window {
    const current = windows.get(name)
    if (current !== undefined && current.endsAt > now) return current
    const window = { endsAt: now + windowMs, used: 0 }
    windows.set(name, window)
    return window
  }

  return {
    take({ organization, bucket, instead }) {
      const limit = limitOf.get(bucket)
      if (limit === undefined) return
      const now = clock()
      sweep(now)
      const window = windowOf(`${bucket} ${organization}`, limit, now)
      if (window.used < limit.requests) {
        window.used++
        return
      }
      const message = instead === undefined ? 'Rate limit exceeded.' : `Rate limit exceeded. ${instead}.`
      const resetAt = new Date(window.endsAt).toISOString()
      throw new AppError('rate_limited', message, { limit: limit.requests, remaining: 0, resetAt, retryAfterMs: window.endsAt - now })
    },
  }
}
