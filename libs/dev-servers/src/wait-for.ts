// Waits until a condition holds, instead of waiting for a fixed time. A test is then as fast as the code that it tests, and if it fails,
// the error names what did not happen.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  /** The end of the sentence "Waited … ms for …". */
  readonly what: string
  /**
   * Time from one check to the next. By default, it grows with the time that has passed, so that the checks take little CPU time from the
   * work for which the caller waits.
   */
  readonly everyMs?: number
}

/** A twentieth of the time that has passed, but at least 10 ms and at most 50 ms. */
const pauseAfter = (elapsedMs: number) => Math.min(50, Math.max(10, elapsedMs / 20))

/**
 * Resolves with the first result that is truthy. If the condition throws, waiting continues. The last such error is the cause of the
 * timeout error.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<NonNullable<T>> {
  const timeoutMs = options.timeoutMs ?? 120_000
  const startedAt = performance.now()
  let cause: unknown
  do {
    try {
      const result = await condition()
      if (result) return result
      cause = undefined
    } catch (error) {
      cause = error
    }
    await sleep(options.everyMs ?? pauseAfter(performance.now() - startedAt))
  } while (performance.now() - startedAt < timeoutMs)
  throw new Error(`Waited ${timeoutMs} ms for ${options.what}`, cause === undefined ? undefined : { cause })
}
