// Decides whether a call is retried, and after what delay.

const maxDelayMs = 60_000

export const isRetried = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** `Retry-After` in seconds or as a date, in milliseconds from now. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const ms = Date.parse(value) - Date.now()
  return ms > 0 ? ms : undefined
}

/** `X-RateLimit-Reset` in seconds since 1970, in milliseconds from now, plus up to a fifth, so that clients do not return all at once. */
function rateLimitResetMs(value: string | null): number | undefined {
  if (value === null || value === '') return undefined
  const ms = Number(value) * 1000 - Date.now()
  return ms > 0 ? ms * (1 + Math.random() * 0.2) : undefined
}

/** Milliseconds before retry number `retry`, the first of which is 0. */
export function retryDelayMs(headers: Headers, retry: number): number {
  const given = retryAfterMs(headers.get('Retry-After')) ?? rateLimitResetMs(headers.get('X-RateLimit-Reset'))
  return Math.min(given ?? 1000 * 2 ** retry * (0.9 + Math.random() * 0.2), maxDelayMs)
}

/** Resolves after the delay; rejects with the signal's reason as soon as it aborts. */
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
