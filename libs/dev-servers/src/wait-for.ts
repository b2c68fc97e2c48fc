// Waits for a condition instead of a fixed time. A test is then as fast as the code under test, and its failure names what did not happen.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  /** Completes the sentence "Waited … ms for …". */
  readonly what: string
  /** Time between two checks. By default it grows with the time waited, so that the checks take no CPU from the awaited work. */
  readonly everyMs?: number
}

/** A twentieth of the elapsed time, between 10 and 50 ms, which is soon enough for the caller. */
const pauseAfter = (elapsedMs: number) => Math.min(50, Math.max(10, elapsedMs / 20))

/**
 * Resolves with the first truthy result. An error of the condition counts as "not yet", and the last one becomes the cause of the final
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
