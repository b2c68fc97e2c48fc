// Waits until a condition holds, instead of a fixed time. A test is then as fast as the code under test, and its failure names what did not
// happen.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  /** Completes the sentence "Waited … ms for …". */
  readonly what: string
  /**
   * Time between two checks. By default the time grows with the elapsed time, so that the checks take little CPU time from the work that
   * the caller waits for.
   */
  readonly everyMs?: number
}

/** A twentieth of the elapsed time, but at least 10 ms and at most 50 ms. */
const pauseAfter = (elapsedMs: number) => Math.min(50, Math.max(10, elapsedMs / 20))

/**
 * Resolves with the first truthy result. If the condition throws, the wait continues. The last such error becomes the cause of the timeout
 * error.
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
