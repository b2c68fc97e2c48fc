// Decides whether and when a call is retried.

const maxDelayMs = 60_000

export const isRetried = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** `Retry-After` contains a number of seconds or a date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const ms = Date.parse(value) - Date.now()
  return ms > 0 ? ms : undefined
}

/**
 * `X-RateLimit-Reset` contains a time in seconds since 1970. The function returns the wait until this time, extended by a random 0 to
 * 20 %, so that clients do not all retry at once.
 */
function rateLimitResetMs(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  const ms = Number(value) * 1000 - Date.now()
  return ms > 0 ? ms * (1 + Math.random() * 0.2) : undefined
}

/** Returns the milliseconds before retry number `retry`; the first retry has number 0. */
export function retryDelayMs(headers: Headers, retry: number): number {
  const given = retryAfterMs(headers.get('Retry-After')) ?? rateLimitResetMs(headers.get('X-RateLimit-Reset'))
  return Math.min(given ?? 1000 * 2 ** retry * (0.9 + Math.random() * 0.2), maxDelayMs)
}

/** If the signal aborts, the promise rejects immediately with the signal's reason. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    function abort(): void {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
