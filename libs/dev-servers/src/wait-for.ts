// Waiting for a condition instead of for a time: a test is as fast as what it tests, and says what did not
// happen.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  /** Completes the sentence "Waited … ms for …". */
  readonly what: string
  /** Between two questions; absent: the longer it has waited, the more, so that asking takes no processor from what is waited for. */
  readonly everyMs?: number
}

/** A twentieth of the time that has passed, within bounds: what is waited for is noticed at once, as people count. */
const pauseAfter = (elapsedMs: number) => Math.min(50, Math.max(10, elapsedMs / 20))

/**
 * Resolves with the first truthy result. An error thrown by the condition counts as "not yet" and is the
 * cause of the final one.
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
